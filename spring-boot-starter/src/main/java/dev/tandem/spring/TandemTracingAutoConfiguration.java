package dev.tandem.spring;

import dev.tandem.api.TaskTracing;
import dev.tandem.opentelemetry.OpenTelemetryTracing;
import dev.tandem.runtime.settings.TandemSettings.LogSettings;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Traces submissions and runs where the application has OpenTelemetry. */
@AutoConfiguration(
        after = TandemAutoConfiguration.class,
        afterName = "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration")
@ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
@ConditionalOnClass(OpenTelemetry.class)
@Conditional({TracingConditions.Traced.class, TandemTracingAutoConfiguration.HasOpenTelemetry.class})
public final class TandemTracingAutoConfiguration {

    TandemTracingAutoConfiguration() {}

    // Outside of the application's own interceptors, so that their work belongs to the span.
    @Bean
    @Order(Ordered.HIGHEST_PRECEDENCE)
    @ConditionalOnMissingBean(TaskTracing.class)
    TaskTracing tandemTracing(ObjectProvider<OpenTelemetry> openTelemetry, Environment environment) {
        LogSettings log = Binder.get(environment).bindOrCreate("tandem.log", LogSettings.class);
        return OpenTelemetryTracing.of(openTelemetry.getIfAvailable(GlobalOpenTelemetry::get))
                .withMode(TracingConditions.mode(environment))
                .withKeys(log.keys())
                .withLogContext(log.mdc());
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
