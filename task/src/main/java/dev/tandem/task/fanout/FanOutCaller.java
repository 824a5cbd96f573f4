package dev.tandem.task.fanout;

/**
 * Who calls a bucket of fan-outs, so that it finds out whether the store has forgotten one of its calls. The calls of a caller to
 * one bucket have growing numbers, and no two are under way at a time.
 *
 * @param name tells it from all other callers, also from those of other processes; "" if it does not number its calls
 * @param number of this call, 1 or more
 * @param known the number of an earlier call that was answered, and that must not be forgotten; 0 if there is none
 */
public record FanOutCaller(String name, long number, long known) {

    /** A caller that does not number its calls. */
    public static final FanOutCaller UNNUMBERED = new FanOutCaller("", 0, 0);
}
