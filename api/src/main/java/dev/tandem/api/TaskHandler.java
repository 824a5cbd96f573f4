package dev.tandem.api;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method that runs the tasks of one type. The method may have these parameters, in any order: the payload, of any
 * type that JSON can be read into, or {@code byte[]} for the bytes themselves; and {@link TaskContext}. It succeeds when it
 * returns, and fails when it throws; a {@link Result} that it returns counts as in {@link Handler#handle}.
 *
 * <p>May stand on other annotations, which then mean the same.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface TaskHandler {

    /** Returns the queue's name, as in the settings. */
    String queue();

    /** Returns the type of the tasks: a chosen name that stays when classes are renamed. */
    String type();

    /** Returns further types that the method runs, such as former names. */
    String[] aliases() default {};

    /** Returns the longest run, such as {@code 30s}; "" means the queue's. */
    String timeout() default "";

    /** Returns how many starts a task has in all, the first included; 0 means the queue's. */
    int maxAttempts() default 0;

    /** Returns the delays between attempts; not given means the queue's. */
    Backoff backoff() default @Backoff;

    /** Returns exceptions, subclasses included, that make a task dead at once. */
    Class<? extends Throwable>[] deadOn() default {};

    /**
     * Returns how many tasks one call runs; not given means one. With a batch, each parameter is a {@link java.util.List}: of
     * payloads, of {@link TaskContext}, or both, in the same order. A method that returns {@code List<Result>} ends each task by
     * itself, and {@link BatchFailedException} says which ones failed; otherwise as {@link BatchHandler}.
     */
    Batch batch() default @Batch;
}
