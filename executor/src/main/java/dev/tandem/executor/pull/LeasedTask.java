package dev.tandem.executor.pull;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A task that a worker has, and what it needs to know of it.
 *
 * @param lease what the worker shows to end it
 * @param leaseMillis for how long it has the task
 * @param position its place: partition, slash, position
 * @param attempt 1 at the first start
 * @param timeoutMillis the longest run; 0 for none
 */
public record LeasedTask(
        LeaseName lease,
        long leaseMillis,
        String id,
        String position,
        String type,
        @Nullable String key,
        @Nullable String dedupKey,
        int attempt,
        int maxAttempts,
        long timeoutMillis,
        Map<String, String> headers,
        byte[] payload) {

    /** Returns about what it takes in an answer, in bytes. */
    public long bytes() {
        return bytes(payload, headers);
    }

    /** Returns about what a task with these takes in an answer, in bytes. */
    public static long bytes(byte[] payload, Map<String, String> headers) {
        long sum = payload.length;
        for (Map.Entry<String, String> header : headers.entrySet()) {
            sum += header.getKey().length() + header.getValue().length();
        }
        return sum;
    }

    @Override
    public String toString() {
        return "LeasedTask[" + lease + "]";
    }
}
