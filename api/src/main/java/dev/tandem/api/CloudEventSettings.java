package dev.tandem.api;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says that a {@link TaskGateway} publishes its tasks as CloudEvents, as {@link TaskOptions#cloudEvent(String)} does. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface CloudEventSettings {

    /** Returns the source of the events, a URI reference such as {@code /shop}; "" means that tasks are no events. */
    String source() default "";

    /** Returns how events are published. */
    CloudEventMode mode() default CloudEventMode.BINARY;
}
