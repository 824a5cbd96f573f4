package dev.tandem.verify;

import java.time.Duration;

/**
 * The size and the time limits of a trial.
 *
 * @param lease lease of the executors
 * @param retry delay before the next attempt of a failed task
 * @param perSecond tasks published per second
 * @param executors executors that run at once, from 2 to one less than {@link LaneBrokers#SLOTS}
 * @param partitions partitions of the queue
 * @param warmUp time under load before the first fault
 * @param rounds how often the fault is injected
 * @param longEvery one task in so many takes longer than a lease; 0 for none
 * @param lenience how much longer than usual tasks may wait while no fault is active
 * @param patience how long after the last round tasks may take to end
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

    /** Returns the time after which a task that has not ended never will. */
    static Duration patience(Duration lease, Duration retry) {
        return lease.multipliedBy(4).plus(retry).plusSeconds(60);
    }

    TrialSettings {
        if (lease.toMillis() < 1_000) {
            throw new IllegalArgumentException("--lease is " + lease.toMillis() + " ms, it must be 1000 or more");
        }
        if (executors < 2 || executors >= LaneBrokers.SLOTS) {
            throw new IllegalArgumentException(
                    "--executors is " + executors + ", it must be 2 to " + (LaneBrokers.SLOTS - 1));
        }
        if (perSecond < 1 || perSecond > 5_000) {
            throw new IllegalArgumentException("--rate is " + perSecond + ", it must be 1 to 5000");
        }
    }
}
