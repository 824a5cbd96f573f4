package dev.tandem.spring;

import dev.tandem.api.TaskTracing;
import dev.tandem.api.TracingMode;
import dev.tandem.opentelemetry.OpenTelemetryTracing;
import dev.tandem.runtime.settings.TandemSettings.LogSettings;
import dev.tandem.runtime.settings.TandemSettings.Observations;
import io.micrometer.observation.ObservationRegistry;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Traces submissions and runs where the application has OpenTelemetry, and otherwise observes them where it has Micrometer's
 * observations. Both make spans, so that both together would trace everything twice.
 */
@AutoConfiguration(
        after = TandemAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration"
        })
@ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
public final class TandemTracingAutoConfiguration {

    TandemTracingAutoConfiguration() {}

    /** What an application with OpenTelemetry has. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(OpenTelemetry.class)
    @Conditional({IsTraced.class, HasOpenTelemetry.class})
    static class Tracing {

        // Outside of the application's own interceptors, so that their work belongs to the span.
        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE)
        @ConditionalOnMissingBean(TaskTracing.class)
        TaskTracing tandemTracing(ObjectProvider<OpenTelemetry> openTelemetry, Environment environment) {
            LogSettings log = Binder.get(environment).bindOrCreate("tandem.log", LogSettings.class);
            return OpenTelemetryTracing.of(openTelemetry.getIfAvailable(GlobalOpenTelemetry::get))
                    .withMode(mode(environment))
                    .withKeys(log.keys())
                    .withLogContext(log.mdc());
        }
    }

    /** What an application with Micrometer's observations has. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ObservationRegistry.class)
    @ConditionalOnBean(ObservationRegistry.class)
    @Conditional(IsObserved.class)
    static class Observed {

        @Bean
        @Order(Ordered.HIGHEST_PRECEDENCE + 1)
        TaskObservations tandemObservations(ObservationRegistry registry) {
            return new TaskObservations(registry);
        }
    }

    private static TracingMode mode(Environment environment) {
        return setting(environment, "tandem.tracing.mode", TracingMode.LINK);
    }

    /** A value that cannot be read is reported by the check of all settings, which names it. */
    private static <E extends Enum<E>> E setting(Environment environment, String name, E missing) {
        try {
            return Binder.get(environment)
                    .bind(name, missing.getDeclaringClass())
                    .orElse(missing);
        } catch (BindException e) {
            return missing;
        }
    }

    /** Whether the settings allow tracing. */
    static final class IsTraced implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return mode(context.getEnvironment()) != TracingMode.OFF;
        }
    }

    /** Whether the settings want observations, beside a tracing too if there is one. */
    static final class IsObserved extends AnyNestedCondition {

        IsObserved() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @Conditional(IsOn.class)
        static final class Asked {}

        @Conditional(IsAuto.class)
        @ConditionalOnMissingBean(TaskTracing.class)
        static final class NotTraced {}
    }

    static final class IsOn implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return observations(context) == Observations.ON;
        }
    }

    static final class IsAuto implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return observations(context) == Observations.AUTO;
        }
    }

    private static Observations observations(ConditionContext context) {
        return setting(context.getEnvironment(), "tandem.tracing.observations", Observations.AUTO);
    }

    /** Whether there is a bean, or one for the whole process, such as that of the Java agent. */
    static final class HasOpenTelemetry extends AnyNestedCondition {

        HasOpenTelemetry() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBean(OpenTelemetry.class)
        static final class OfTheApplication {}

        @Conditional(IsGlobal.class)
        static final class OfTheProcess {}
    }

    static final class IsGlobal implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return GlobalOpenTelemetry.isSet();
        }
    }
}
