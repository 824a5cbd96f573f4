package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskTracing;
import dev.tandem.opentelemetry.OpenTelemetryTracing;
import dev.tandem.runtime.settings.SettingsException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.annotation.Order;

/** When an application traces its tasks, and when it observes them. Nothing connects to a broker. */
class TracingConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    JacksonAutoConfiguration.class,
                    TandemObservationAutoConfiguration.class,
                    TandemTracingAutoConfiguration.class,
                    TandemAutoConfiguration.class))
            .withPropertyValues("tandem.queues.orders.source=kafka");

    private final ApplicationContextRunner observed =
            application.withBean(ObservationRegistry.class, TracingConfigurationTest::registry);

    private final ApplicationContextRunner traced =
            observed.withConfiguration(AutoConfigurations.of(OpenTelemetrySdkAutoConfiguration.class));

    private static ObservationRegistry registry() {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new ObservationHandler<Observation.Context>() {
            @Override
            public boolean supportsContext(Observation.Context context) {
                return true;
            }
        });
        return registry;
    }

    @BeforeEach
    @AfterEach
    void forgetTheProcessWideOne() {
        GlobalOpenTelemetry.resetForTest();
    }

    private static void assertHas(ApplicationContextRunner runner, int tracings, int observations) {
        runner.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeansOfType(TaskTracing.class)).hasSize(tracings);
            assertThat(context.getBeansOfType(TaskObservations.class)).hasSize(observations);
            assertThat(context.getBeansOfType(Interceptor.class)).hasSize(tracings + observations);
            assertThat(context.getBeansOfType(SubmitInterceptor.class)).hasSize(tracings + observations);
        });
    }

    @Test
    void withoutEitherThereIsNoInterceptor() {
        assertHas(application, 0, 0);
        assertThat(GlobalOpenTelemetry.isSet()).as("looking must not set it").isFalse();
    }

    @Test
    void anOpenTelemetryOfTheApplicationTraces() {
        assertHas(traced, 1, 0);
    }

    @Test
    void anOpenTelemetryOfTheProcessTraces() {
        GlobalOpenTelemetry.set(OpenTelemetry.noop());

        assertHas(observed, 1, 0);
    }

    @Test
    void tracingIsSwitchedOff() {
        assertHas(traced.withPropertyValues("tandem.tracing.mode=off"), 0, 1);
        // YAML reads an unquoted off as false.
        assertHas(traced.withPropertyValues("tandem.tracing.mode=false"), 0, 1);
        assertHas(traced.withPropertyValues("tandem.tracing.mode=off", "tandem.tracing.observations=off"), 0, 0);
        assertHas(traced.withPropertyValues("tandem.enabled=false"), 0, 0);
    }

    @Test
    void bothTogetherMustBeAskedFor() {
        assertHas(traced.withPropertyValues("tandem.tracing.observations=on"), 1, 1);
    }

    @Test
    void observationsNeedARegistry() {
        assertHas(observed, 0, 1);
        assertHas(observed.withPropertyValues("tandem.tracing.observations=off"), 0, 0);
        assertHas(application.withPropertyValues("tandem.tracing.observations=on"), 0, 0);
    }

    @Test
    void neitherLibraryNeedsToBeThere() {
        assertHas(observed.withClassLoader(new FilteredClassLoader("io.opentelemetry")), 0, 1);
        assertHas(application.withClassLoader(new FilteredClassLoader("io.opentelemetry", "io.micrometer")), 0, 0);
    }

    @Test
    void aTracingOfTheApplicationTakesThePlaceOfTheOther() {
        TaskTracing own = OpenTelemetryTracing.of(OpenTelemetry.noop());
        traced.withBean("own", TaskTracing.class, () -> own)
                .run(context -> assertThat(context.getBean(TaskTracing.class)).isSameAs(own));
    }

    @Test
    void tracingIsOutsideOfTheApplicationsInterceptors() {
        traced.withBean(FirstOfTheApplication.class).run(context -> {
            ObjectProvider<Interceptor> all = context.getBeanProvider(Interceptor.class);
            assertThat(all.orderedStream().toList())
                    .extracting(Object::getClass)
                    .hasSize(2)
                    .startsWith(OpenTelemetryTracing.class);
        });
    }

    @Order(0)
    static class FirstOfTheApplication implements Interceptor {

        @Override
        public Result around(TaskContext task, Handler next) throws Exception {
            return next.handle(task);
        }
    }

    @Test
    void aWrongModeStopsTheStart() {
        traced.withPropertyValues("tandem.tracing.mode=both")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(SettingsException.class)
                        .hasMessageContaining("tandem.tracing.mode is 'both': it must be link or child or off"));
    }
}
