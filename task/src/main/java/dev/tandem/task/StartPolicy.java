package dev.tandem.task;

import org.jspecify.annotations.Nullable;

/**
 * Says which tasks start first: how a queue shares the slots of its process with the others, and how its tenants take
 * turns.
 *
 * @param weight its part of the slots in proportion to those of other queues; {@link #NO_WEIGHT} if it has none of its own
 * @param precedence of two queues that want slots, the one with the higher number gets all that it wants
 * @param fair how tenants of the queue take turns; null if there are none
 */
public record StartPolicy(
        int weight, int precedence, @Nullable FairPolicy fair) {

    /** The weight of a queue that says none. Beside queues that do it counts as 1. */
    public static final int NO_WEIGHT = 0;

    public static final StartPolicy DEFAULT = new StartPolicy(NO_WEIGHT, 0, null);

    public static final int MAX_WEIGHT = 1_000;
    public static final int MAX_PRECEDENCE = 9;

    public StartPolicy {
        if (weight < NO_WEIGHT || weight > MAX_WEIGHT) {
            throw new IllegalArgumentException("weight is " + weight + ", it must be 1 to " + MAX_WEIGHT);
        }
        if (precedence < 0 || precedence > MAX_PRECEDENCE) {
            throw new IllegalArgumentException("precedence is " + precedence + ", it must be 0 to " + MAX_PRECEDENCE);
        }
    }

    /** Returns whether the queue says anything about the slots of its process. */
    public boolean sharesSlots() {
        return weight != NO_WEIGHT || precedence != 0;
    }
}
