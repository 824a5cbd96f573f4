package dev.tandem.spring;

import dev.tandem.api.TaskTracing;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Observes submissions and runs where the application has Micrometer's observations, and OpenTelemetry does not trace them:
 * both make spans, so that everything would be traced twice.
 */
@AutoConfiguration(
        after = TandemTracingAutoConfiguration.class,
        afterName = "org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration")
@ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
@ConditionalOnClass(ObservationRegistry.class)
@ConditionalOnBean(ObservationRegistry.class)
@Conditional(TandemObservationAutoConfiguration.IsWanted.class)
public final class TandemObservationAutoConfiguration {

    TandemObservationAutoConfiguration() {}

    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE + 1)
    TaskObservations tandemObservations(ObservationRegistry registry) {
        return new TaskObservations(registry);
    }

    static final class IsWanted extends AnyNestedCondition {

        IsWanted() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @Conditional(TracingConditions.Observed.class)
        static final class Asked {}

        @Conditional(TracingConditions.ObservedUnlessTraced.class)
        @ConditionalOnMissingBean(TaskTracing.class)
        static final class NotTraced {}
    }
}
