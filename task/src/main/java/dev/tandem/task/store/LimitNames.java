package dev.tandem.task.store;

import java.util.Set;

/**
 * The names of limits of one kind that the store lists.
 *
 * @param overridden those with an override
 * @param others those that executors have used lately
 */
public record LimitNames(Set<String> overridden, Set<String> others) {

    public static final LimitNames NONE = new LimitNames(Set.of(), Set.of());

    public LimitNames {
        overridden = Set.copyOf(overridden);
        others = Set.copyOf(others);
    }

    /** Returns whether the store lists a limit. */
    public boolean contains(String limit) {
        return overridden.contains(limit) || others.contains(limit);
    }
}
