package dev.tandem.outbox;

import dev.tandem.api.TaskRequest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A row of the outbox that a relay has read.
 *
 * @param version which row it is
 * @param task what to publish; of a row with a problem only queue and key count
 * @param bytes roughly what it takes in memory
 * @param unfitFor for how many milliseconds relays have had clients that cannot publish it; 0 if there was none yet
 * @param problem why it can be no task, as when another program wrote it; null if it can
 */
record OutboxRow(
        Version version,
        int bucket,
        TaskRequest<Object> task,
        int bytes,
        long unfitFor,
        @Nullable String problem) {

    /**
     * Names a row as it was read. The same id may come again for another row: after a failover to a replica that had lagged
     * behind, after a restore, or when the table is truncated.
     *
     * @param id its place in the order of its key
     * @param failures how often publishing it had failed, so that no failure is recorded twice
     */
    record Version(long id, UUID uuid, int failures) {}

    /** Returns its place in the order of its key. */
    long id() {
        return version.id();
    }

    /** Returns the lane that orders the row. */
    Lane lane() {
        String key = task.key();
        return new Lane(task.queue(), key, key == null ? id() : 0);
    }

    /**
     * The rows of one key of one queue, or a single row without a key.
     *
     * @param id the row's; 0 if there is a key
     */
    record Lane(String queue, @Nullable String key, long id) {}
}
