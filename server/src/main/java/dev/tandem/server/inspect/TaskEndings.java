package dev.tandem.server.inspect;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Port: waits for the ends of tasks, without asking for them again and again. Thread-safe. */
@FunctionalInterface
public interface TaskEndings {

    /**
     * Waits until a task has ended, however it did.
     *
     * @param ref the task; null to wait for any task with the id
     * @return the task as it ended; if it has not ended within this time, as it was seen last; empty if the store has never shown
     *     it. Never fails
     */
    CompletionStage<Optional<TaskInfo>> await(String queue, @Nullable TaskRef ref, String id, Duration timeout);
}
