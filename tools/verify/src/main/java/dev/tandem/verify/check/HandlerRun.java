package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import org.jspecify.annotations.Nullable;

/** One run of a handler. */
final class HandlerRun {

    /** Processes report the end of a lease in whole milliseconds, so it may really end this much earlier. */
    private static final long LEASE_RESOLUTION = 1_000_000;

    final String process;
    final String id;
    final @Nullable String key;
    final long token;
    final int attempt;
    /** -1 if unknown. */
    final int partition;
    /** Epoch of the ownership under which the claim was made; 0 if unknown. */
    final long epoch;
    /** When the claim was requested; 0 if unknown. */
    final long claimed;

    final long start;
    /** End of the lease as its process knew it at the start. */
    final long leaseAtStart;
    /** End of the lease as the first renewal after the start had it; {@link Period#NEVER} if there is none. */
    long firstRenewedUntil = Period.NEVER;
    /** End of the lease as its process knew it, extended by renewals. */
    long leaseUntil;
    /** When the handler ended; {@link Period#NEVER} if that was not recorded. */
    long end = Period.NEVER;

    @Nullable
    Ending ending;

    /** When its process ended; {@link Period#NEVER} if it is alive. */
    long processEnd = Period.NEVER;

    HandlerRun(Event.RunStarted event) {
        this.process = event.process();
        this.id = event.id();
        this.key = event.key();
        this.token = event.token();
        this.attempt = event.attempt();
        this.partition = event.partition();
        this.epoch = event.epoch();
        this.claimed = event.claimedAt();
        this.start = event.at();
        this.leaseAtStart = event.leaseUntil();
        this.leaseUntil = event.leaseUntil();
    }

    void renewed(long until) {
        firstRenewedUntil = Math.min(firstRenewedUntil, until);
        leaseUntil = Math.max(leaseUntil, until);
    }

    /**
     * Returns whether the claim's lease had ended when the handler started. A claim that was renewed afterwards under the same token
     * counts as held: nothing took it over in between.
     */
    boolean isStale() {
        return leaseUntil < start;
    }

    /**
     * Returns whether the handler started after the end of the lease that its process knew, although no renewal was under way that
     * had been asked for before. A process learns late of such a renewal if it or the store is busy.
     *
     * @param lease how long a lease is, in nanoseconds
     */
    boolean startedLate(long lease) {
        boolean underWay =
                firstRenewedUntil != Period.NEVER && firstRenewedUntil - lease <= leaseAtStart + 2 * LEASE_RESOLUTION;
        return leaseAtStart < start && !underWay;
    }

    /** Returns whether the handler may have been running at this time. */
    boolean isActiveAt(long at) {
        return start <= at && at < end && at <= processEnd;
    }

    /** Returns when the claim stops being valid: the end of the run, its process or its lease. */
    long validUntil() {
        return Math.min(Math.min(end, processEnd), leaseUntil - LEASE_RESOLUTION);
    }

    boolean hasEnded() {
        return end != Period.NEVER;
    }

    boolean succeeded() {
        return ending == Ending.SUCCEEDED;
    }

    /** Returns whether no further attempt follows. */
    boolean isFinal() {
        return ending == Ending.SUCCEEDED || ending == Ending.DEAD;
    }

    @Override
    public String toString() {
        String outcome = hasEnded()
                ? "ended at " + end + " " + ending
                : processEnd != Period.NEVER ? "cut off at " + processEnd : "still open";
        return id + " (attempt " + attempt + ", token " + token + ", in " + process + ", started at " + start + ", "
                + outcome + ")";
    }
}
