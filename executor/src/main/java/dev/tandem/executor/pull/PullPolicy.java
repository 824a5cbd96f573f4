package dev.tandem.executor.pull;

import java.time.Duration;

/**
 * How pull workers get the tasks of a queue.
 *
 * @param lease for how long a worker has a task if it does not say so itself
 */
public record PullPolicy(Duration lease) {

    /** The shortest lease that a worker can ask for. */
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(1);

    /** The longest lease that a worker can ask for. It may extend it again and again. */
    public static final Duration LONGEST_LEASE = Duration.ofHours(1);

    /** 30 s. */
    public static final PullPolicy DEFAULTS = new PullPolicy(Duration.ofSeconds(30));
}
