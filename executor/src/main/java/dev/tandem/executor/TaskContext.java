package dev.tandem.executor;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One attempt at a task, as its handler sees it. Valid while the handler runs; may be read from any thread. */
public interface TaskContext {

    /**
     * The task's id: its publisher's, else {@code <topic>:<partition>:<offset>} for a task from a log, else made from
     * its position. A label for people; two tasks may share one.
     */
    String id();

    String queue();

    /** The task's type, or the queue's own handler type where the task names none. */
    String type();

    /** The ordering key; null for a task without order. */
    @Nullable
    String key();

    /** The payload itself, not a copy: leave it as it is. */
    byte[] payload();

    /**
     * The payload read as JSON.
     *
     * @throws UnreadablePayloadException if it can't be; let it pass and the task is dead at once
     */
    <T> T payload(Class<T> type);

    /** All headers, in the order they came in. */
    Map<String, String> headers();

    /** 1 at the first start. Starts whose executor died count too. */
    int attempt();

    /** Starts in all, the first included. */
    int maxAttempts();

    /**
     * The fencing token: higher than that of every earlier start of this key (or of this task, if it has none). Pass
     * it to what the handler writes to, and let that refuse a lower one.
     */
    long token();

    /** When the handler will be interrupted; empty if its queue has no timeout. */
    Optional<Instant> deadline();

    /** Whether a failure of this attempt makes the task dead. */
    default boolean isLastAttempt() {
        return attempt() >= maxAttempts();
    }

    /**
     * Whether to give up: the attempt was interrupted, or its lease ran out because the store can't be reached, so
     * that another executor may start the task.
     */
    boolean isCancelled();

    /**
     * How long the claim that this attempt runs under is held for sure, unless it is renewed, which happens in the
     * background. Zero or less: it lapsed, and another executor may start the task. In ms steps, by this process's
     * monotonic clock.
     */
    Duration leaseRemaining();
}
