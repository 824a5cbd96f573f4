package dev.tandem.executor.pull;

/**
 * A worker's wish for tasks.
 *
 * @param max the most tasks, 1 or more
 * @param maxBytes what their payloads and headers may take together. One task may take more
 * @param waitMillis how long to wait for the first one; 0 for as long as it takes to look
 * @param leaseMillis for how long the worker has each of them; 0 for what the queue says
 * @param worker a name for people; may be empty
 */
public record LeaseCall(int max, long maxBytes, long waitMillis, long leaseMillis, String worker) {

    /** @throws IllegalArgumentException if it asks for less than one task */
    public LeaseCall {
        if (max < 1) {
            throw new IllegalArgumentException("max is " + max + ", it must be 1 or more");
        }
    }
}
