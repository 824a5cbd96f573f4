package dev.tandem.executor;

/**
 * The bounds of fan-outs.
 *
 * @param maxSubtasks the most subtasks of one
 * @param maxDepth the most fan-outs around a task
 * @param keepMillis for how long one is kept after its end
 * @param horizonMillis for how long the store may forget what it was told; 0 if it never does, or may
 */
public record FanOutPolicy(long maxSubtasks, int maxDepth, long keepMillis, long horizonMillis) {

    /** How many fan-outs of one bucket may be open. */
    static final int MAX_OPEN = 10_000;

    public static final FanOutPolicy DEFAULTS = new FanOutPolicy(1_000_000, 5, 7L * 24 * 3_600_000, 3_000);
}
