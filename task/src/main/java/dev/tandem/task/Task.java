package dev.tandem.task;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One unit of work, as its publisher described it. What a publisher left out is null or zero here; the queue's policy
 * fills it in.
 *
 * @param id a label for people; null means the default, which is derived from the source's own identity
 * @param queue the logical queue
 * @param type which handler runs it; null means the queue's
 * @param key the ordering key; null means no order
 * @param payload opaque bytes, not copied: whoever makes a task hands them over
 * @param headers all headers as they came, in order
 * @param publishedAt when the publisher sent it, epoch milliseconds; 0 if unknown
 * @param notBefore earliest start, epoch milliseconds; 0 means now
 * @param timeoutMillis longest run; 0 means the queue's
 * @param maxAttempts starts in all, the first included; 0 means the queue's
 * @param dedupKey business id for idempotency; null means none
 */
public record Task(
        @Nullable String id,
        String queue,
        @Nullable String type,
        @Nullable String key,
        byte[] payload,
        Map<String, String> headers,
        long publishedAt,
        long notBefore,
        long timeoutMillis,
        int maxAttempts,
        @Nullable String dedupKey) {

    public Task {
        Objects.requireNonNull(queue, "queue");
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(headers, "headers");
    }

    /** A task with nothing but a payload, due now. */
    public static Task of(String queue, @Nullable String key, byte[] payload) {
        return new Task(null, queue, null, key, payload, Map.of(), 0, 0, 0, 0, null);
    }

    public Task withNotBefore(long epochMillis) {
        return new Task(
                id, queue, type, key, payload, headers, publishedAt, epochMillis, timeoutMillis, maxAttempts, dedupKey);
    }

    public Task withType(@Nullable String newType) {
        return new Task(
                id,
                queue,
                newType,
                key,
                payload,
                headers,
                publishedAt,
                notBefore,
                timeoutMillis,
                maxAttempts,
                dedupKey);
    }

    /** Roughly what it costs to keep in memory, in bytes: payload, headers and a fixed overhead. */
    public int weight() {
        int sum = 160 + payload.length;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            sum += 48 + header.getKey().length() + header.getValue().length();
        }
        return sum;
    }

    /** Names the task without its payload or headers, so that it may be logged. */
    @Override
    public String toString() {
        return "Task[" + queue + " id=" + id + " type=" + type + " key=" + key + " " + payload.length + " bytes]";
    }
}
