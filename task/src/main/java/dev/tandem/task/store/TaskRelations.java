package dev.tandem.task.store;

/**
 * How the tasks of a queue relate to others.
 *
 * @param dedup how they are told from their duplicates
 * @param dependencies how they wait for others
 */
public record TaskRelations(DedupPolicy dedup, DependencyPolicy dependencies) {

    /** The defaults of the settings. */
    public static final TaskRelations DEFAULT = new TaskRelations(DedupPolicy.DEFAULT, DependencyPolicy.DEFAULT);

    /** Returns the same relations with another policy of deduplication. */
    public TaskRelations with(DedupPolicy other) {
        return new TaskRelations(other, dependencies);
    }

    /** Returns the same relations with another policy of dependencies. */
    public TaskRelations with(DependencyPolicy other) {
        return new TaskRelations(dedup, other);
    }
}
