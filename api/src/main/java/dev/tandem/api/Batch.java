package dev.tandem.api;

import java.lang.annotation.Documented;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Says that a {@link TaskHandler} runs several tasks in one call, as {@link BatchOptions} defines it. */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({})
public @interface Batch {

    /** Returns the most tasks of one call, 1 to {@value BatchOptions#LARGEST}; not given means that each task has a call of its own. */
    int maxSize() default 0;

    /** Returns how long the first task of a call waits for others at most, such as {@code 50ms}. */
    String maxWait() default "50ms";
}
