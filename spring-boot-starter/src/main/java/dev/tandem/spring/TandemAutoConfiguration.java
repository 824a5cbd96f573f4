package dev.tandem.spring;

import dev.tandem.api.Interceptor;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TransactionBoundary;
import dev.tandem.executor.ExecutorMetrics;
import dev.tandem.runtime.TandemBuilder;
import dev.tandem.runtime.TandemStarter;
import dev.tandem.runtime.queues.TaskMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.transaction.support.TransactionSynchronization;
import tools.jackson.databind.json.JsonMapper;

/** Runs the methods with {@code @TaskHandler}, and makes beans of the interfaces with {@code @TaskGateway}. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@Import(GatewayRegistrar.class)
public final class TandemAutoConfiguration {

    TandemAutoConfiguration() {}

    /** The beans of an application unless {@code tandem.enabled} is false. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
    static class Enabled {

        @Bean
        SettingsEnvironment tandemSettingsEnvironment(
                ConfigurableEnvironment environment, ObjectProvider<ConnectionSettings> connections) {
            return new SettingsEnvironment(
                    environment, connections.orderedStream().toList());
        }

        /** Lazy, because an application that only runs tasks has nothing to submit. */
        @Bean(destroyMethod = "close")
        @Lazy
        @ConditionalOnMissingBean
        TaskClient taskClient(
                SettingsEnvironment settings,
                ObjectProvider<JsonMapper> json,
                ObjectProvider<SubmitInterceptor> interceptors,
                ObjectProvider<TransactionBoundary> transactions,
                ObjectProvider<ApplicationOutbox> outboxes,
                ObjectProvider<ClientMetrics> metrics) {
            List<SubmitInterceptor> all = interceptors.orderedStream().toList();
            TransactionBoundary boundary = transactions.getIfAvailable(() -> TransactionBoundary.NONE);
            ApplicationOutbox outbox = outboxes.getIfAvailable();
            return outbox != null && outbox.isUsed()
                    ? outbox.client(mapper(json), all, boundary)
                    : TaskClients.open(
                            settings, mapper(json), all, boundary, metrics.getIfAvailable(() -> client -> {}));
        }

        @Bean
        StartCheck tandemStartCheck(
                ConfigurableListableBeanFactory beans,
                SettingsEnvironment settings,
                ObjectProvider<JsonMapper> json,
                ObjectProvider<ApplicationOutbox> outbox) {
            return new StartCheck(beans, settings, mapper(json), outbox::getIfAvailable);
        }

        @Bean
        @Lazy(false)
        TandemLifecycle tandemLifecycle(
                StartCheck check,
                ConfigurableEnvironment environment,
                SettingsEnvironment settings,
                ObjectProvider<JsonMapper> json,
                ObjectProvider<Interceptor> interceptors,
                ObjectProvider<RunMetrics> metrics,
                ObjectProvider<TandemStarter> starter) {
            return new TandemLifecycle(
                    check,
                    settings,
                    mapper(json),
                    interceptors.orderedStream().toList(),
                    metrics.getIfAvailable(() -> wiring -> ExecutorMetrics.NONE),
                    Threading.VIRTUAL.isActive(environment),
                    starter.getIfAvailable(() -> TandemBuilder::start));
        }

        private static JsonMapper mapper(ObjectProvider<JsonMapper> json) {
            return json.getIfAvailable(() -> JsonMapper.builder().build());
        }
    }

    /** Makes what receives the measurements of runs. */
    @FunctionalInterface
    interface RunMetrics extends Function<Wiring, ExecutorMetrics> {}

    /** Measures the client, once there is one. */
    @FunctionalInterface
    interface ClientMetrics extends Consumer<TandemClient> {}

    /** The meters of an application that has a registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    @ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
    static class Metrics {

        @Bean
        RunMetrics tandemRunMetrics(ObjectProvider<MeterRegistry> registries) {
            return wiring -> {
                MeterRegistry registry = registries.getIfAvailable();
                Set<String> types = wiring.handlers().stream()
                        .flatMap(each -> each.types().stream())
                        .collect(Collectors.toSet());
                return registry == null
                        ? ExecutorMetrics.NONE
                        : new TaskMetrics(registry, wiring.settings().queues(), types);
            };
        }

        @Bean
        ClientMetrics tandemClientMetrics(ObjectProvider<MeterRegistry> registries) {
            return client -> registries.ifAvailable(
                    registry -> FunctionCounter.builder("tandem.client.lost", client, TandemClient::lostAfterCommit)
                            .description("Tasks that failed after the commits of their transactions")
                            .baseUnit("tasks")
                            .register(registry));
        }
    }

    /** The beans of an application with transactions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(TransactionSynchronization.class)
    static class Transactions {

        @Bean
        @ConditionalOnMissingBean(TransactionBoundary.class)
        SpringTransactions tandemTransactions() {
            return new SpringTransactions();
        }
    }

    /** The beans that stay when Tandem is switched off: gateways can be injected, and refuse to submit. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBooleanProperty(name = "tandem.enabled", havingValue = false)
    static class Disabled {

        @Bean
        @ConditionalOnMissingBean
        TaskClient taskClient() {
            return new DisabledTaskClient();
        }
    }
}
