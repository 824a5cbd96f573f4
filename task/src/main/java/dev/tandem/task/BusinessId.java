package dev.tandem.task;

import java.util.Objects;

/**
 * A name that a task has in the business: its deduplication key, in its queue. At most one task has it at a time.
 *
 * @param queue the queue of the task
 * @param key its deduplication key
 */
public record BusinessId(String queue, String key) {

    public BusinessId {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(key, "key");
    }

    /** Returns the id as it is shown to people. */
    @Override
    public String toString() {
        return queue + "/" + key;
    }
}
