package dev.tandem.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task, as its handler sees it. Valid while the handler runs. Thread-safe.
 */
public interface TaskContext {

    /**
     * Returns the task's id: the publisher's, else {@code <topic>:<partition>:<offset>} for a task from Kafka, else a
     * text made from the task's position. Two tasks may have the same id if their publishers gave it twice.
     */
    String id();

    /** Returns the name of the task's queue. */
    String queue();

    /** Returns the business id for deduplication that the publisher gave the task; null if it gave none. */
    default @Nullable String dedupKey() {
        return null;
    }

    /**
     * Returns the name of the task's place in its queue: its partition and its position there. No two tasks share it,
     * also if their publishers gave them the same id. A task from Kafka has the same position at every attempt. A task
     * from RabbitMQ gets a new one if its executor died before anything of it was recorded.
     */
    default String position() {
        return id();
    }

    /** Returns the task's type, or the queue's default type if the task names none. */
    String type();

    /** Returns the key that orders the task; null if it has none. */
    @Nullable
    String key();

    /** Returns the payload itself, not a copy. The handler must not change it. */
    byte[] payload();

    /**
     * Reads the payload as JSON.
     *
     * @throws UnreadablePayloadException if the payload is not JSON that fits the type. If the handler does not catch
     *     it, the task is dead at once
     */
    <T> T payload(Class<T> type);

    /** Returns all headers in the order in which they were published. */
    Map<String, String> headers();

    /**
     * Returns the attributes of the CloudEvent that the task was published as, by their names: {@code id}, {@code source},
     * {@code type} and so on. Empty if it is no event.
     */
    default Map<String, String> cloudEvent() {
        return CloudEvents.attributes(headers());
    }

    /** Returns the number of this attempt, 1 or more. Attempts whose executor died count too. */
    int attempt();

    /** Returns how many attempts the task may have in all, 1 or more. */
    int maxAttempts();

    /**
     * Returns the fencing token of this attempt's claim. It is higher than the tokens of all earlier attempts of the
     * same key, or of the same task if it has no key. Pass it to the systems that the handler writes to, and have them
     * refuse a lower token than the highest they have seen.
     */
    long token();

    /** Returns when the handler will be interrupted; empty if the task has no timeout. */
    Optional<Instant> deadline();

    /** Returns whether the task is dead if this attempt fails. */
    default boolean isLastAttempt() {
        return attempt() >= maxAttempts();
    }

    /** Returns how many tasks the handler's call has: 1, or more if it is that of a batch handler. */
    default int batchSize() {
        return 1;
    }

    /**
     * Returns whether the handler should give up: the attempt was interrupted, or its claim's lease ran out because the
     * store cannot be reached. In the latter case another executor may start the task.
     */
    boolean isCancelled();

    /**
     * Returns the time for which the attempt's claim is certainly held, in milliseconds by this process's monotonic
     * clock. The claim is renewed in the background, so the time grows again. At zero or less the lease has run out,
     * and another executor may start the task.
     */
    Duration leaseRemaining();
}
