package dev.tandem.api;

import java.util.List;

/**
 * Runs tasks of one type, several in one call. Each task is claimed, counted, timed, settled and retried by itself. Of one key
 * there is one task in a call at most, so the order of keys holds as with a {@link Handler}. A task that has failed runs in a
 * call of its own at its next attempts, so one bad task cannot fail others again and again.
 *
 * <p>The call is interrupted when the first of its tasks reaches its timeout; then all of them have timed out. Otherwise as
 * {@link Handler}.
 */
@FunctionalInterface
public interface BatchHandler {

    /**
     * Runs one attempt at each of the tasks.
     *
     * @param tasks one or more
     * @return how each attempt ended, in the order of the tasks
     * @throws Exception if all attempts failed, as in {@link Handler#handle}. {@link BatchFailedException} says which ones
     *     failed; all others succeeded
     */
    List<Result> handle(List<TaskContext> tasks) throws Exception;
}
