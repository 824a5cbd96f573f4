package dev.tandem.spring;

import dev.tandem.api.TaskClient;
import dev.tandem.runtime.TandemStarter;
import dev.tandem.runtime.queues.QueueClients;
import dev.tandem.runtime.settings.SettingsLoader;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.datasource.DataSourceUtils;

/** Submits the tasks of an application by an outbox in its database, and publishes them. */
@AutoConfiguration(
        before = {TandemAutoConfiguration.class, TandemHealthAutoConfiguration.class},
        // It brings a client of its own, and no task of a test may reach a broker.
        afterName = "dev.tandem.test.TestTandemAutoConfiguration")
@ConditionalOnClass({DataSource.class, DataSourceUtils.class})
@ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
@ConditionalOnMissingBean({TaskClient.class, TandemStarter.class})
public final class TandemOutboxAutoConfiguration {

    TandemOutboxAutoConfiguration() {}

    @Bean
    @DependsOnDatabaseInitialization
    ApplicationOutbox tandemApplicationOutbox(ConfigurableListableBeanFactory beans, SettingsEnvironment environment) {
        return new ApplicationOutbox(beans, environment);
    }

    @Bean
    @Lazy(false)
    OutboxLifecycle tandemOutboxLifecycle(ApplicationOutbox outbox, SettingsEnvironment environment) {
        return new OutboxLifecycle(
                outbox,
                () -> QueueClients.builder(SettingsLoader.loadForProgram(environment.get(), Map.of()))
                        .build());
    }

    /** The meters of an application that has a registry. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class Metrics {

        @Bean
        SmartInitializingSingleton tandemOutboxMetrics(
                ApplicationOutbox outbox, OutboxLifecycle lifecycle, ObjectProvider<MeterRegistry> registries) {
            return () -> {
                MeterRegistry registry = registries.getIfAvailable();
                if (registry != null && outbox.isUsed()) {
                    new OutboxMetrics(outbox, lifecycle).bindTo(registry);
                }
            };
        }
    }

    /** The health indicator of an application with Actuator. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class OfHealth {

        @Bean
        @ConditionalOnEnabledHealthIndicator("tandem-outbox")
        HealthIndicator tandemOutboxHealthIndicator(ApplicationOutbox outbox, OutboxLifecycle lifecycle) {
            return new OutboxHealth(outbox, lifecycle);
        }
    }
}
