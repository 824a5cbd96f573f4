package dev.tandem.verify.check;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import org.jspecify.annotations.Nullable;

/** One run of a handler. */
final class HandlerRun {

    static final long NEVER = Long.MAX_VALUE;
    /** A process tells the end of a lease in whole milliseconds, so it may be over by so much earlier. */
    private static final long LEASE_STEP = 1_000_000;

    final String process;
    final String id;
    final @Nullable String key;
    final long token;
    final int attempt;
    /** -1 if unknown. */
    final int partition;
    /** Of the ownership that its claim was made under; 0 if unknown. */
    final long epoch;
    /** When its claim was asked for; 0 if unknown. */
    final long claimed;

    final long start;
    /** Until when its process was seen to hold the claim. */
    long leaseUntil;
    /** When the handler ended; {@link #NEVER} if nothing of the kind was recorded. */
    long end = NEVER;

    @Nullable
    Ending ending;

    /** The end of its process; {@link #NEVER} if it lives. */
    long death = NEVER;

    /** It started when its claim had lapsed. */
    final boolean stale;

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
        this.leaseUntil = event.leaseUntil();
        this.stale = leaseUntil < start;
    }

    /** Whether the handler was under way, as far as anyone knows. */
    boolean open(long at) {
        return start <= at && at < end && at <= death;
    }

    /** The end of its claim's validity: its outcome, its process's death or the end of its lease. */
    long validUntil() {
        return Math.min(Math.min(end, death), leaseUntil - LEASE_STEP);
    }

    boolean succeeded() {
        return ending == Ending.SUCCEEDED;
    }

    /** No more attempts follow it. */
    boolean isFinal() {
        return ending == Ending.SUCCEEDED || ending == Ending.DEAD;
    }

    @Override
    public String toString() {
        return id + " attempt " + attempt + " token " + token + " in " + process + " from " + start
                + (end != NEVER ? " to " + end + " " + ending : death != NEVER ? ", cut off at " + death : ", open");
    }
}
