package dev.tandem.executor;

import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.PermitRequest.PermitRun;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The permits of one limit in one executor: how many it holds, how many are in use, and when the store is to be asked. No I/O
 * and no clock. Not thread-safe.
 *
 * <p>Permits are held until a deadline, unless the store confirms them before. After the deadline no run begins with one, and
 * those that have begun are to be interrupted. As long as they go on they count, and the store hears of them.
 *
 * <p>The executor keeps a permit whose run has ended for its next run. While others want more than they have, it gives back
 * what is above its share as soon as the runs end, and otherwise what it has not needed for a while.
 */
final class PermitPool {

    /** While others wait, or runs wait here, the store is asked this often. */
    static final long CONTENDED_MILLIS = 100;

    /** The time after which permits that were not needed are given back. */
    static final long IDLE_MILLIS = 1_000;

    /** How long the need of a moment counts. */
    private static final long WINDOW_MILLIS = 100;

    private static final long RETRY_MILLIS = 200;
    private static final int UNLIMITED = Integer.MAX_VALUE;

    private final TaskLimit limit;
    private final String executor;
    private final long leaseMillis;

    /** The most permits of all executors, as far as this one knows: by the settings, until the store says another number. */
    private int max;

    private int held;
    private int used;
    private int waiting;
    /** How many of those that wait could begin now, if they had permits. */
    private int startable;
    /** Whether a permit is set aside for a run that does not have all of its permits yet. */
    private boolean aside;
    /** Until when the permits are held, by the monotonic clock. Any thread may read it. */
    private volatile long validUntil = Long.MIN_VALUE;
    /** Whether permits in use were lost, and {@link #lapses} has not said so. */
    private boolean untoldLapse;
    /** Whether {@link #lapses} has said so since the store confirmed the permits. */
    private boolean lapsed;

    private int share = UNLIMITED;
    private boolean contended;
    private boolean noticed;

    private long number;
    private boolean asking;
    private long askedAt;
    private long nextAskAt = Long.MIN_VALUE;
    private int lastWanted;
    private long namedAt;

    /** Whether nothing is needed any more but what is in use. */
    private boolean closing;
    /** Whether the store has been told so. */
    private boolean closingTold;

    private int peak;
    private int peakBefore;
    private long windowFrom;

    PermitPool(TaskLimit limit, String executor, long leaseMillis) {
        this.limit = limit;
        this.max = limit.max();
        this.executor = executor;
        this.leaseMillis = leaseMillis;
    }

    TaskLimit limit() {
        return limit;
    }

    // ---- runs ----

    /** Returns whether a permit is neither in use nor set aside, and need not be given back. */
    boolean hasFree(long now) {
        return now < validUntil && inHand() < (contended ? Math.min(held, share) : held);
    }

    private int inHand() {
        return aside ? used + 1 : used;
    }

    /** Sets a free permit aside, which is not given back then; or takes it back. */
    void setAside(boolean now) {
        aside = now;
    }

    boolean isAside() {
        return aside;
    }

    /** Gives a permit to a run. To be called only if one is free. */
    void take(long now) {
        used++;
        note(now);
    }

    /** Takes back the permit of a run that has ended. */
    void giveBack() {
        if (used == 0) {
            throw new IllegalStateException("More permits of " + limit.name() + " were given back than were taken");
        }
        used--;
    }

    /** Sets how many runs wait for a permit. @param able how many of them could begin now */
    void waiting(int count, int able, long now) {
        waiting = count;
        startable = able;
        note(now);
    }

    /** Hears that the store should be asked, because others want permits or have given some back. */
    void onNotice() {
        noticed = true;
    }

    /** Returns whether the store has not confirmed the permits for too long. Any thread may ask. */
    boolean hasLapsed(long now) {
        return now >= validUntil;
    }

    /** Returns whether the permits are lost now, because the store has not confirmed them for too long. True once. */
    boolean lapses(long now) {
        boolean untold = untoldLapse && used > held;
        untoldLapse = false;
        if (lapsed || now < validUntil) {
            return untold;
        }
        lapsed = true;
        held = 0;
        aside = false;
        return used > 0;
    }

    // ---- requests ----

    /**
     * Returns what the store is to be asked now; null if nothing.
     *
     * @param runs returns the runs that have permits, for people
     */
    @Nullable
    PermitRequest nextRequest(long now, Supplier<? extends Collection<PermitRun>> runs) {
        if (asking || now < nextAskAt) {
            return null;
        }
        int wanted = closing ? used : wanted(now);
        int kept = kept(now, wanted);
        if (!isDue(now, wanted, kept)) {
            return null;
        }
        asking = true;
        closingTold = closing;
        noticed = false;
        askedAt = now;
        lastWanted = wanted;
        // The store may give it to others from now on.
        held = Math.min(held, kept);
        aside &= used < held;
        boolean names = number == 0 || now - namedAt >= IDLE_MILLIS;
        if (names) {
            namedAt = now;
        }
        number++;
        return new PermitRequest(
                limit.name(),
                limit.max(),
                executor,
                number,
                used,
                kept,
                Math.max(wanted, kept),
                waiting,
                leaseMillis,
                names ? runs.get().stream().limit(PermitRequest.MAX_RUNS).toList() : null);
    }

    private boolean isDue(long now, int wanted, int kept) {
        if (closing) {
            return !isReleased();
        }
        long since = now - askedAt;
        boolean isUsed = wanted > 0 || kept > 0;
        if (noticed) {
            // Even if nothing is needed: the number of the limit may be another one, and people see it.
            return true;
        }
        boolean lacks = startable > 0 && !hasFree(now);
        return lacks && wanted > lastWanted
                || contended && kept < held && held > share
                || (contended || lacks) && since >= CONTENDED_MILLIS
                || kept < held && since >= IDLE_MILLIS
                || isUsed && since >= leaseMillis / 4
                || !isUsed && lastWanted > 0 && since >= IDLE_MILLIS;
    }

    private int kept(long now, int wanted) {
        if (now >= validUntil) {
            return used;
        }
        int needed = contended ? Math.min(wanted, share) : wanted;
        return Math.max(inHand(), Math.min(held, needed));
    }

    /** Takes the answer to the last request. */
    void answered(PermitAnswer answer, long now) {
        asking = false;
        // After a process has stood still, an answer may come before anybody has seen that the permits are lost.
        untoldLapse |= !lapsed && now >= validUntil && used > answer.held();
        held = answer.held();
        aside &= used < held;
        lapsed = false;
        share = answer.share();
        max = answer.max();
        contended = answer.othersWait();
        // By the store's clock they end later.
        validUntil = askedAt + leaseMillis - leaseMillis / 10;
    }

    /** The last request has no answer. It may have been applied all the same. */
    void failed(long now) {
        asking = false;
        lastWanted = 0;
        noticed = true;
        nextAskAt = now + RETRY_MILLIS;
    }

    /** Gives back everything that is not in use, with the next request. */
    void close() {
        closing = true;
        aside = false;
    }

    /** Returns whether all that could be given back is given back. */
    boolean isReleased() {
        return number == 0 || closingTold && !asking;
    }

    // ---- need ----

    private void note(long now) {
        roll(now);
        peak = Math.max(peak, used + startable);
    }

    private void roll(long now) {
        if (now - windowFrom >= 2 * WINDOW_MILLIS) {
            peakBefore = used + startable;
            peak = peakBefore;
            windowFrom = now;
        } else if (now - windowFrom >= WINDOW_MILLIS) {
            peakBefore = peak;
            peak = used + startable;
            windowFrom = now;
        }
    }

    /** Returns how many permits were needed at once lately. */
    private int wanted(long now) {
        note(now);
        return Math.min(max, Math.max(peak, peakBefore));
    }

    int held() {
        return held;
    }

    LimitStatus status() {
        return new LimitStatus(limit.name(), max, held, used, waiting);
    }

    @Override
    public String toString() {
        return limit.name() + " held=" + held + " used=" + used + " aside=" + aside + " waiting=" + waiting + " share="
                + share + " contended=" + contended + " valid until " + validUntil;
    }
}
