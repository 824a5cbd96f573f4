package dev.tandem.api;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a task fans out, for {@link TaskContext#fanOut}. Immutable: the methods return changed copies.
 *
 * @param name tells several fan-outs of one task apart; "" unless it has several
 * @param then the final task, which is submitted once when all subtasks have ended; null for none
 * @param rule when failed subtasks keep those from running that have not begun
 * @param mayFail with {@link Rule#PARTIAL}: the share of the subtasks that may fail, 0 to 1
 */
public record FanOut(String name, @Nullable TaskRequest<?> then, Rule rule, double mayFail) {

    private static final int MAX_NAME = 100;

    /** When failed subtasks keep those from running that have not begun. A cancelled one counts as failed. */
    public enum Rule {
        /** Never: all of them run. */
        COMPLETE,
        /** At the first failure. */
        FAIL_FAST,
        /** When more have failed than may. */
        PARTIAL
    }

    /** @throws IllegalArgumentException if the share is not 0 to 1, or the name is too long */
    public FanOut {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(rule, "rule");
        if (!(mayFail >= 0 && mayFail <= 1)) {
            throw new IllegalArgumentException(
                    "The share of subtasks that may fail is " + mayFail + ": it must be 0 to 1, such as 0.05");
        }
        if (name.length() > MAX_NAME) {
            throw new IllegalArgumentException("The name of the fan-out has " + name.length() + " characters: at most "
                    + MAX_NAME + " are allowed");
        }
    }

    /** Returns a fan-out with a final task, which reads the result with {@link TaskContext#fanOutResult}. All subtasks run. */
    public static FanOut then(TaskRequest<?> finalTask) {
        return new FanOut("", Objects.requireNonNull(finalTask, "finalTask"), Rule.COMPLETE, 0);
    }

    /** Returns a fan-out without a final task. All subtasks run. */
    public static FanOut withoutFinalTask() {
        return new FanOut("", null, Rule.COMPLETE, 0);
    }

    /** Returns the same with the rule that the first failure keeps the others from running. */
    public FanOut failFast() {
        return new FanOut(name, then, Rule.FAIL_FAST, 0);
    }

    /**
     * Returns the same with the rule that a share of the subtasks may fail. If more do, the others do not run. The number of
     * subtasks is known when the stream has ended, so nothing is kept from running before.
     *
     * @param share 0 to 1
     */
    public FanOut mayFail(double share) {
        return new FanOut(name, then, Rule.PARTIAL, share);
    }

    /** Returns the same with a name, which a task needs that fans out several times. */
    public FanOut named(String value) {
        return new FanOut(value, then, rule, mayFail);
    }
}
