package dev.tandem.verify;

import java.time.Duration;

/**
 * How large a trial is.
 *
 * @param lease of the executors
 * @param retry before a failed task's next attempt
 * @param perSecond tasks published
 * @param executors that run at once, 1 to {@link TestBrokers#SLOTS} less one
 * @param partitions of its queue
 * @param warmUp under load before the first round
 * @param rounds of its fault
 * @param longEvery one task in so many lasts longer than a lease; 0 for none
 * @param lenience how much longer than else waits may be while nothing is wrong
 * @param patience after the last round with what has not ended
 */
record TrialSettings(
        Duration lease,
        Duration retry,
        int perSecond,
        int executors,
        int partitions,
        Duration warmUp,
        int rounds,
        int longEvery,
        Duration lenience,
        Duration patience) {

    /** What took longer than that to end after the last round does not end. */
    static Duration patience(Duration lease, Duration retry) {
        return lease.multipliedBy(4).plus(retry).plusSeconds(60);
    }

    TrialSettings {
        if (lease.toMillis() < 1_000) {
            throw new IllegalArgumentException("--lease is " + lease.toMillis() + " ms, it must be 1000 or more");
        }
        if (executors < 2 || executors >= TestBrokers.SLOTS) {
            throw new IllegalArgumentException(
                    "--executors is " + executors + ", it must be 2 to " + (TestBrokers.SLOTS - 1));
        }
        if (perSecond < 1 || perSecond > 5_000) {
            throw new IllegalArgumentException("--rate is " + perSecond + ", it must be 1 to 5000");
        }
    }
}
