package dev.tandem.spring;

import dev.tandem.api.TracingMode;
import dev.tandem.runtime.settings.TandemSettings.Observations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Conditions on the settings under {@code tandem.tracing}. */
final class TracingConditions {

    private TracingConditions() {}

    static TracingMode mode(Environment environment) {
        return setting(environment, "tandem.tracing.mode", TracingMode.LINK);
    }

    private static Observations observations(ConditionContext context) {
        return setting(context.getEnvironment(), "tandem.tracing.observations", Observations.AUTO);
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

    /** Whether submissions and runs may be traced. */
    static final class Traced implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return mode(context.getEnvironment()) != TracingMode.OFF;
        }
    }

    /** Whether they are to be observed in any case. */
    static final class Observed implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return observations(context) == Observations.ON;
        }
    }

    /** Whether they are to be observed unless they are traced. */
    static final class ObservedUnlessTraced implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return observations(context) == Observations.AUTO;
        }
    }
}
