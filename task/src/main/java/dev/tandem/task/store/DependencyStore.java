package dev.tandem.task.store;

import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskPlace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Port: knows which tasks wait for which others. Any thread may call it. */
public interface DependencyStore {

    /** Knows nothing. */
    DependencyStore NONE = (bucket, requests) ->
            CompletableFuture.failedFuture(new UnsupportedOperationException("This store knows no deduplication keys"));

    /**
     * Sends requests about tasks that wait for those with deduplication keys of one bucket ({@link DedupBuckets}). They are
     * applied in their order, and those of one call at once.
     *
     * @param requests 1 to {@link Store#MAX_DEDUP_REQUESTS}
     * @return the answers in the same order; fails as that of {@link Store#dedup} does
     */
    CompletionStage<List<DependencyAnswer>> ask(int bucket, List<DependencyRequest> requests);

    /**
     * Looks whether a task waits for itself, by the tasks that it waits for and by the heads of their keys, and has begun to
     * wait last of those.
     *
     * @param name its name, for people
     * @return the cycle, for people, such as {@code a -> b -> a}; empty if there is none, or it is too long to be found
     */
    default CompletionStage<Optional<String>> findCycle(TaskPlace task, TaskDependencies its, String name) {
        return CompletableFuture.completedFuture(Optional.empty());
    }
}
