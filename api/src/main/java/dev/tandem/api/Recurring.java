package dev.tandem.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Submits a task for this method again and again. On a method with {@link TaskHandler}, that one says the queue and the type.
 * On any other method of a bean, which then has no parameter but a {@link TaskContext}, these are said here. Every process
 * with the schedule may submit the task of an instant, and one of them does.
 *
 * <p>Texts may contain <code>${...}</code>, for settings.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface Recurring {

    /** Returns the name of the schedule, the same in all processes; "" means the type of the tasks. */
    String id() default "";

    /**
     * Returns second, minute, hour, day of the month, month and day of the week, such as {@code 0 30 2 * * *}; "-" switches
     * the schedule off.
     */
    String cron() default "";

    /** Returns the time zone of the cron expression, such as {@code Europe/Berlin}. */
    String zone() default "UTC";

    /** Returns the interval between two firings, such as {@code 10m}, in place of a cron expression. */
    String every() default "";

    /** Returns the queue, where the method has no {@link TaskHandler}. */
    String queue() default "";

    /** Returns the type of the tasks, where the method has no {@link TaskHandler}; "" means the id. */
    String type() default "";

    /** Returns the key of the tasks; "" means none. */
    String key() default "";

    /** Returns the payload of the tasks, usually JSON. */
    String payload() default "";

    /** Returns what becomes of firings that no process could make in time. */
    Misfire misfire() default Misfire.ONE;

    /** Returns how late a firing may be and still be in time. */
    String misfireAfter() default "1m";

    /** Returns the most missed firings that are made, with {@link Misfire#ALL}. */
    int misfireMax() default 100;

    /** Returns what becomes of a firing while the task of an earlier one has not ended. */
    Overlap overlap() default Overlap.ALLOW;

    /** Returns the longest time by which a firing is put off, so that not all fire in the same second; "" means none. */
    String jitter() default "";
}
