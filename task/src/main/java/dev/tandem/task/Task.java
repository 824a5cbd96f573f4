package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One unit of work as its publisher described it. Fields that the publisher left out are null or zero, and the queue's
 * policy supplies them.
 *
 * @param id a label for people; null means the default, which is made from the task's position
 * @param queue the logical queue
 * @param type the name of the handler that runs it; null means the queue's handler
 * @param key the ordering key; null means no order
 * @param payload opaque bytes. They are not copied, so the caller must not change them afterwards
 * @param headers the headers that are kept, in order
 * @param publishedAt when the publisher sent it, in epoch milliseconds; 0 if unknown
 * @param notBefore the earliest start in epoch milliseconds; 0 means now
 * @param timeoutMillis the longest run; 0 means the queue's limit
 * @param maxAttempts the most starts, the first included; 0 means the queue's limit
 * @param dedupKey a business id for deduplication; null means none
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

    /** Creates a task that has only a key and a payload and is due now. */
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

    /** Returns why the message of this task is unreadable; null if it is not. See {@link Delivery#asTaskThatDies}. */
    public @Nullable String unreadable() {
        return headers.get(TaskHeaders.UNREADABLE);
    }

    /** Returns when the task's time is over, in epoch milliseconds; 0 if it has no end. */
    public long expiresAt() {
        return TaskExpiry.of(headers);
    }

    /** Returns the same task with what could be read of it, to be run all the same. */
    public Task readable() {
        if (unreadable() == null) {
            return this;
        }
        Map<String, String> others = new LinkedHashMap<>(headers);
        others.remove(TaskHeaders.UNREADABLE);
        return withHeaders(others);
    }

    /** Returns the same task with these headers instead of its own. */
    public Task withHeaders(Map<String, String> newHeaders) {
        return new Task(
                id,
                queue,
                type,
                key,
                payload,
                newHeaders,
                publishedAt,
                notBefore,
                timeoutMillis,
                maxAttempts,
                dedupKey);
    }

    /** Returns the same task with this payload instead of its own. */
    public Task withPayload(byte[] newPayload) {
        return new Task(
                id,
                queue,
                type,
                key,
                newPayload,
                headers,
                publishedAt,
                notBefore,
                timeoutMillis,
                maxAttempts,
                dedupKey);
    }

    /** Returns the same task as one that was sent at this time. */
    public Task withPublishedAt(long epochMillis) {
        return new Task(
                id, queue, type, key, payload, headers, epochMillis, notBefore, timeoutMillis, maxAttempts, dedupKey);
    }

    /** Returns roughly how many bytes of memory the task takes: payload, headers and a fixed overhead. */
    public int weight() {
        int sum = 160 + payload.length;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            sum += 48 + header.getKey().length() + header.getValue().length();
        }
        return sum;
    }

    /** Returns a description without payload and headers, which may be logged. */
    @Override
    public String toString() {
        return "Task[" + queue + " id=" + id + " type=" + type + " key=" + key + " " + payload.length + " bytes]";
    }
}
