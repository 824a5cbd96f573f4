package dev.tandem.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks an interface whose methods submit tasks to one queue. Each method has a {@link TaskType}, and these parameters: one
 * payload; a {@link Key} or none; {@link TaskOptions} or none, also as an array. It returns {@link TaskRef}, or nothing. A
 * method that returns nothing waits for the broker's acknowledgement; inside of a transaction it does not wait.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.ANNOTATION_TYPE})
public @interface TaskGateway {

    /** Returns the queue's name, as in the settings. */
    String queue();

    /** Returns how the tasks are published as CloudEvents; not given means that they are none. */
    CloudEventSettings cloudEvents() default @CloudEventSettings;
}
