package dev.tandem.api;

import java.util.List;

/**
 * Runs tasks of one type, several in one call, with their payloads as objects. All of them succeed when it returns. Otherwise
 * as {@link BatchHandler}. A task whose payload cannot be read is dead, and not in the call.
 *
 * @param <T> what payloads are read as
 */
@FunctionalInterface
public interface TypedBatchHandler<T> {

    /**
     * Runs one attempt at each of the tasks.
     *
     * @param payloads the payloads of the tasks, in the same order
     * @throws Exception if all attempts failed; {@link BatchFailedException} says which ones failed, all others succeeded
     */
    void handle(List<T> payloads, List<TaskContext> tasks) throws Exception;
}
