package dev.tandem.api;

import java.util.Map;
import java.util.TreeMap;

/**
 * Thrown by a batch handler to say which tasks of a call failed, and why. All others succeeded. Each failure counts as if a
 * handler of that task alone had thrown it: {@link RetryLaterException} chooses the delay, {@link FatalTaskException} makes the
 * task dead.
 */
public class BatchFailedException extends RuntimeException {

    private final transient Map<Integer, Exception> failures;

    /**
     * Makes the exception.
     *
     * @param failures by the index of the task in the call, 0 for the first; one or more
     * @throws IllegalArgumentException if there is no failure
     */
    public BatchFailedException(Map<Integer, ? extends Exception> failures) {
        super(describe(failures));
        this.failures = new TreeMap<>(failures);
        this.failures.values().forEach(this::addSuppressed);
    }

    private static String describe(Map<Integer, ? extends Exception> failures) {
        if (failures.isEmpty()) {
            throw new IllegalArgumentException("No task of the batch failed: return instead");
        }
        return failures.size() + (failures.size() == 1 ? " task of the batch" : " tasks of the batch") + " failed: "
                + new TreeMap<>(failures).keySet();
    }

    /** Returns the failures by the index of the task in the call. */
    public Map<Integer, Exception> failures() {
        return Map.copyOf(failures);
    }
}
