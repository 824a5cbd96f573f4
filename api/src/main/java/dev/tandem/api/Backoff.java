package dev.tandem.api;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The delays between the attempts of a {@link TaskHandler}, as {@link RetryPolicy#exponential} defines them. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Backoff {

    /** Returns the delay after the first attempt, such as {@code 1s}; "" means that the queue's delays count, all of them. */
    String initial() default "";

    /** Returns the factor from one delay to the next, 1 to 1000. */
    double multiplier() default 2;

    /** Returns the longest delay before jitter. */
    String max() default "1h";

    /** Returns the share of a delay by which it varies, 0 to 1. */
    double jitter() default 0.2;
}
