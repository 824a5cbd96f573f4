package dev.tandem.task.store;

import dev.tandem.task.TaskDependencies.Policy;

/**
 * How the tasks of a queue wait for others, if they do not say so themselves.
 *
 * @param policy what becomes of a task if one that it waits for does not succeed
 * @param timeoutMillis for how long a task waits at most
 * @param refusesUnknown whether a task dies at once that waits for an id of which nothing is known
 */
public record DependencyPolicy(Policy policy, long timeoutMillis, boolean refusesUnknown) {

    /** The defaults of the settings: a task dies with one that it waits for, and waits for a day at most. */
    public static final DependencyPolicy DEFAULT = new DependencyPolicy(Policy.DIE, 86_400_000, false);
}
