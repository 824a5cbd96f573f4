package dev.tandem.outbox;

import dev.tandem.api.TaskRequest;
import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox that a relay has read.
 *
 * @param id its place in the order of its key
 * @param task what to publish; of a row with a problem only queue and key count
 * @param bytes roughly what it takes in memory
 * @param problem why it can be no task, as when another program wrote it; null if it can
 */
record OutboxRow(
        long id,
        int bucket,
        TaskRequest<Object> task,
        int bytes,
        @Nullable String problem) {

    /** Returns the lane that orders the row. */
    Lane lane() {
        String key = task.key();
        return new Lane(task.queue(), key, key == null ? id : 0);
    }

    /**
     * The rows of one key of one queue, or a single row without a key.
     *
     * @param id the row's; 0 if there is a key
     */
    record Lane(String queue, @Nullable String key, long id) {}
}
