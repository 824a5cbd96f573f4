package dev.tandem.api;

import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Options of a task. A null component means the queue's default. Immutable. Import the factory methods statically: {@code
 * tasks.ship("c-7", order, delay("5m"), maxAttempts(3))}.
 *
 * @param id the task's id, a label for people, 1 to 512 bytes; default: one that no other task
 *     has
 * @param delay the time from the submission to the earliest start, 0 or more
 * @param notBefore the earliest start; not together with a delay
 * @param timeout the longest run, 1 ms to 366 days; the queue limits it
 * @param maxAttempts starts in all, the first included, 1 to 1,000,000; the queue limits it
 * @param dedupKey a business id for deduplication
 * @param headers further headers, in order. Names that begin with {@code tandem-} are refused
 */
public record TaskOptions(
        @Nullable String id,
        @Nullable Duration delay,
        @Nullable Instant notBefore,
        @Nullable Duration timeout,
        @Nullable Integer maxAttempts,
        @Nullable String dedupKey,
        Map<String, String> headers) {

    /** No options: all defaults. */
    public static final TaskOptions NONE = new TaskOptions(null, null, null, null, null, null, Map.of());

    private static final Duration MIN_TIMEOUT = Duration.ofMillis(1);
    private static final Duration MAX_TIMEOUT = Duration.ofDays(366);
    private static final Duration MAX_TTL = Duration.ofDays(3_650);
    private static final Duration MIN_WINDOW = Duration.ofSeconds(1);
    private static final Duration MAX_WINDOW = Duration.ofDays(365);
    private static final int MAX_ATTEMPTS = 1_000_000;
    private static final int MAX_PRIORITY = 9;
    private static final String PRIORITY = "tandem-priority";
    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    /** @throws InvalidTaskException if a value is out of its bounds; the message names it */
    public TaskOptions {
        require(delay == null || !delay.isNegative(), "delay", delay, "0 or more");
        require(
                timeout == null || (timeout.compareTo(MIN_TIMEOUT) >= 0 && timeout.compareTo(MAX_TIMEOUT) <= 0),
                "timeout",
                timeout,
                "1 ms to 366 days");
        require(
                maxAttempts == null || (maxAttempts >= 1 && maxAttempts <= MAX_ATTEMPTS),
                "maxAttempts",
                maxAttempts,
                "1 to " + MAX_ATTEMPTS);
        require(notBefore == null || !notBefore.isAfter(LATEST), "notBefore", notBefore, "in the year 9999 or before");
        require(id == null || !id.isBlank(), "id", "''", "some text, or not given");
        if (delay != null && notBefore != null) {
            throw new InvalidTaskException("The task has a delay of " + delay + " and an earliest start of " + notBefore
                    + ": give one of them");
        }
        for (Map.Entry<String, String> header : headers.entrySet()) {
            String name = header.getKey();
            if (!Expiry.isOne(name, header.getValue())
                    && !Dependencies.isOne(name)
                    && !Dedup.isOne(name, header.getValue())
                    && !isPriority(name, header.getValue())
                    && name.regionMatches(true, 0, "tandem-", 0, "tandem-".length())) {
                throw new InvalidTaskException("The header '" + name
                        + "' is one of Tandem's own: use the option for it, such as delay or timeout");
            }
        }
        // Not Map.copyOf, which forgets the order.
        headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
    }

    private static void require(boolean holds, String name, @Nullable Object value, String allowed) {
        if (!holds) {
            throw new InvalidTaskException("The task's " + name + " is " + value + ": it must be " + allowed);
        }
    }

    /** Returns an id for people. */
    public static TaskOptions id(String value) {
        return new TaskOptions(value, null, null, null, null, null, Map.of());
    }

    /** Returns a delay from the submission to the earliest start. */
    public static TaskOptions delay(Duration value) {
        return new TaskOptions(null, value, null, null, null, null, Map.of());
    }

    /**
     * Returns a delay from the submission to the earliest start.
     *
     * @param value such as {@code 500ms}, {@code 30s}, {@code 5m}, {@code 2h}, {@code 7d} or {@code PT5M}
     */
    public static TaskOptions delay(String value) {
        return delay(Durations.parse("delay", value));
    }

    /** Returns the earliest start. */
    public static TaskOptions notBefore(Instant value) {
        return new TaskOptions(null, null, value, null, null, null, Map.of());
    }

    /**
     * Returns that the task expires if its handler has not begun by then: it never runs, and its key goes on.
     *
     * @param value later than the earliest start
     */
    public static TaskOptions expiresAt(Instant value) {
        require(!value.isAfter(LATEST), "expiresAt", value, "in the year 9999 or before");
        return new TaskOptions(null, null, null, null, null, null, Expiry.at(value));
    }

    /**
     * Returns that the task expires if its handler has not begun for this long after the task is due: it never runs, and its key
     * goes on. If an {@link #expiresAt} is given too, the earlier time counts.
     *
     * @param value 1 ms or more
     */
    public static TaskOptions ttl(Duration value) {
        require(value.compareTo(MIN_TIMEOUT) >= 0 && value.compareTo(MAX_TTL) <= 0, "ttl", value, "1 ms to 3650 days");
        return new TaskOptions(null, null, null, null, null, null, Expiry.ttl(value));
    }

    /** Returns a {@link #ttl(Duration)}, in the form of {@link #delay(String)}. */
    public static TaskOptions ttl(String value) {
        return ttl(Durations.parse("ttl", value));
    }

    /** Returns the longest run. */
    public static TaskOptions timeout(Duration value) {
        return new TaskOptions(null, null, null, value, null, null, Map.of());
    }

    /** Returns the longest run, in the form of {@link #delay(String)}. */
    public static TaskOptions timeout(String value) {
        return timeout(Durations.parse("timeout", value));
    }

    /** Returns how many starts the task may have in all, the first included. */
    public static TaskOptions maxAttempts(int value) {
        return new TaskOptions(null, null, null, null, value, null, Map.of());
    }

    /**
     * Returns which of the tasks that may start comes first: those of a higher priority do, and those of one priority keep their
     * order. The tasks of a key keep their order in any case.
     *
     * @param value 0, which is the default, to 9
     */
    public static TaskOptions priority(int value) {
        require(value >= 0 && value <= MAX_PRIORITY, "priority", value, "0 to " + MAX_PRIORITY);
        return new TaskOptions(null, null, null, null, null, null, Map.of(PRIORITY, Integer.toString(value)));
    }

    private static boolean isPriority(String name, String value) {
        return name.equals(PRIORITY) && value.matches("[0-9]");
    }

    /** Returns a business id for deduplication: of several tasks of a queue with one id, one runs. */
    public static TaskOptions dedupKey(String value) {
        return new TaskOptions(null, null, null, null, null, value, Map.of());
    }

    /** Returns which of several tasks with one deduplication key runs, for tasks that come while another has the key. */
    public static TaskOptions dedupMode(DedupMode value) {
        return new TaskOptions(null, null, null, null, null, null, Dedup.mode(value));
    }

    /** Returns for how long after the arrival of the task its deduplication key is taken. @param value 1 s to 365 days */
    public static TaskOptions dedupWindow(Duration value) {
        require(
                value.compareTo(MIN_WINDOW) >= 0 && value.compareTo(MAX_WINDOW) <= 0,
                "dedupWindow",
                value,
                "1 s to 365 days");
        return new TaskOptions(null, null, null, null, null, null, Dedup.window(value));
    }

    /** Returns a {@link #dedupWindow(Duration)}, in the form of {@link #delay(String)}. */
    public static TaskOptions dedupWindow(String value) {
        return dedupWindow(Durations.parse("dedupWindow", value));
    }

    /**
     * Returns that the task runs only when the tasks with these {@linkplain #dedupKey deduplication keys} of its own queue have
     * succeeded. They may come before or after it.
     *
     * @param ids 1 to 32, together with those of other options
     */
    public static TaskOptions dependsOn(String... ids) {
        return new TaskOptions(null, null, null, null, null, null, Dependencies.on(ids));
    }

    /** Returns the same as {@link #dependsOn} for tasks of another queue. */
    public static TaskOptions dependsOnTasksOf(String queue, String... ids) {
        return new TaskOptions(null, null, null, null, null, null, Dependencies.onTasksOf(queue, ids));
    }

    /** Returns what becomes of the task if one that it waits for does not succeed. Default: the queue's. */
    public static TaskOptions dependsPolicy(DependsPolicy value) {
        return new TaskOptions(null, null, null, null, null, null, Dependencies.policy(value.header()));
    }

    /**
     * Returns for how long the task waits for others at most, counted from when it would have run for the first time.
     *
     * @param value 1 ms to 366 days; default: the queue's
     */
    public static TaskOptions dependsTimeout(Duration value) {
        require(
                value.compareTo(MIN_TIMEOUT) >= 0 && value.compareTo(MAX_TIMEOUT) <= 0,
                "dependsTimeout",
                value,
                "1 ms to 366 days");
        return new TaskOptions(null, null, null, null, null, null, Dependencies.timeout(value.toMillis()));
    }

    /** Returns the same, in the form of {@link #delay(String)}. */
    public static TaskOptions dependsTimeout(String value) {
        return dependsTimeout(Durations.parse("dependsTimeout", value));
    }

    /**
     * Returns that the task is published as a CloudEvent in binary mode, as {@link #cloudEvent(String, CloudEventMode)}.
     *
     * @param source a URI reference such as {@code /shop}
     */
    public static TaskOptions cloudEvent(String source) {
        return cloudEvent(source, CloudEventMode.BINARY);
    }

    /**
     * Returns that the task is published as a CloudEvent. The event's id and type are those of the task, its time is that of the
     * submission, and its extension {@code partitionkey} is the task's key. Headers that begin with {@code ce_} become
     * further attributes, such as {@code ce_subject}.
     *
     * @param source a URI reference such as {@code /shop}
     * @throws InvalidTaskException if the source is empty
     */
    public static TaskOptions cloudEvent(String source, CloudEventMode mode) {
        require(!source.isBlank(), "cloudEvent", "''", "the source of the event, such as /shop");
        return new TaskOptions(null, null, null, null, null, null, CloudEvents.headers(source, mode));
    }

    /** Returns a header for the handler. */
    public static TaskOptions header(String name, String value) {
        return new TaskOptions(null, null, null, null, null, null, Map.of(name, value));
    }

    /** Returns these options and others. Where both have a value, that of the others counts. */
    public TaskOptions and(TaskOptions other) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        Dependencies.join(all, other.headers);
        boolean timed = other.delay != null || other.notBefore != null;
        return new TaskOptions(
                other.id != null ? other.id : id,
                timed ? other.delay : delay,
                timed ? other.notBefore : notBefore,
                other.timeout != null ? other.timeout : timeout,
                other.maxAttempts != null ? other.maxAttempts : maxAttempts,
                other.dedupKey != null ? other.dedupKey : dedupKey,
                all);
    }
}
