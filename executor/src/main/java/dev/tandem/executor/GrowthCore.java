package dev.tandem.executor;

import dev.tandem.task.LogEnds;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.PartitionHistory.Growth;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds out how many partitions a log has and had before. Decides what to read, look up and record, one step at a time. All executors
 * of a queue do so alike; whoever records a change first is right, and the others read what it recorded. Does no I/O and reads
 * no clock. One thread calls it.
 */
final class GrowthCore {

    /** The time between two looks, and between two readings while a growth is under way, and after a failure. */
    static final long PERIOD_MILLIS = 1_000;

    private static final long NEVER = Long.MIN_VALUE / 2;

    /** The time for which tasks wait while the history cannot be read: the node of Redis that has it may be away for long. */
    private static final long UNREAD_MILLIS = 10_000;

    /** The next thing to do. */
    sealed interface Step {

        /** Reads the history. Answered by {@link #read}. */
        record Read() implements Step {}

        /** Asks the broker. Answered by {@link #lookedUp}. */
        record LookUp(boolean withEnds) implements Step {}

        /**
         * Replaces the history. Answered by {@link #changed}.
         *
         * @param notBefore the time by the clock of the store before which it is not replaced
         */
        record Change(@Nullable PartitionHistory expected, PartitionHistory next, long notBefore) implements Step {}
    }

    private final long windowMillis;
    private @Nullable PartitionHistory history;
    private @Nullable LogEnds look;
    private LogEndLooks series = LogEndLooks.NONE;

    /** The number of partitions that the source knows of. */
    private int known;

    /** The number of reasons so far to find everything out again. What was begun before the last one does not count. */
    private long doubts;

    /** The time at which the first of the failed reads in a row failed. */
    private long unreadSince = NEVER;

    /** True while tasks go on by what was known last, because the history cannot be read. */
    private boolean goesOnUnread;

    private long readIn = NEVER;
    private long readAt = NEVER;
    private long lookedIn = NEVER;
    private long lookFrom = NEVER;
    private long lookBeganAt = NEVER;
    private long lookWall = NEVER;
    /** Whether the first open growth may have been over when the last look began. Only the store knows for sure. */
    private boolean lookMayClose;

    private long lookEndedAt = NEVER;

    /** The step under way, and what it began with. */
    private @Nullable Step step;

    private long stepIn;
    private long stepBeganAt;
    private long stepWall;
    /** The time at which the first open growth became known. */
    private long openKnownAt = NEVER;

    private long nextAt = NEVER;

    /** @param windowMillis for how long publishers may use an earlier count */
    GrowthCore(long windowMillis) {
        this.windowMillis = windowMillis;
    }

    /** Says that the log may have more partitions than is known. @param delayMillis after which time its broker knows */
    void doubt(long now, long delayMillis) {
        doubts++;
        lookFrom = Math.max(lookFrom, now + delayMillis);
    }

    /** Says how many partitions the source knows of; 0 if none yet. */
    void knows(int partitions, long now) {
        boolean isMore = partitions > known;
        known = partitions;
        if (isMore && (history == null || partitions > history.partitions())) {
            doubt(now, 0);
        }
    }

    GrowthView view() {
        // Before the source knows a count, it cannot notice that the log has got more.
        if (history == null && (isRead() && known > 0 || goesOnUnread)) {
            return GrowthView.FIRST;
        }
        return new GrowthView(isSure() || goesOnUnread, history, series);
    }

    private boolean isSure() {
        return isRead()
                && isLookedUp()
                && history != null
                && look != null
                && agree(history, look)
                && look.partitions() >= known;
    }

    private boolean isRead() {
        return readIn == doubts;
    }

    private boolean isLookedUp() {
        return lookedIn == doubts;
    }

    /**
     * Begins the next step.
     *
     * @param wantsEnds whether tasks wait for the ends of earlier partitions
     * @return null if there is nothing to do now
     */
    @Nullable
    Step next(long now, long wall, boolean wantsEnds) {
        if (step != null || now < nextAt) {
            return null;
        }
        boolean grows = history != null && !history.growths().isEmpty();
        if (!isRead() || grows && now - readAt >= PERIOD_MILLIS) {
            return begin(new Step.Read(), now, wall);
        }
        if (!isLookedUp()) {
            return now < lookFrom || known == 0 ? null : begin(new Step.LookUp(isOpen()), now, wall);
        }
        Step.Change change = change(now, wall);
        if (change != null) {
            return begin(change, now, wall);
        }
        boolean wanted = isOpen() && (wantsEnds || mayClose(now, wall));
        return isSure() && wanted && now - lookEndedAt >= PERIOD_MILLIS
                ? begin(new Step.LookUp(true), now, wall)
                : null;
    }

    private Step begin(Step next, long now, long wall) {
        step = next;
        stepIn = doubts;
        stepBeganAt = now;
        stepWall = wall;
        return next;
    }

    /** Whether the first open growth may be over, by a clock that need not agree with the store's, or by the time since. */
    private boolean mayClose(long now, long wall) {
        return isOpen() && (wall >= opensUntil() || now - openKnownAt >= windowMillis);
    }

    private boolean isOpen() {
        return opensUntil() != Long.MAX_VALUE;
    }

    /** Returns when the first open growth may be closed. */
    private long opensUntil() {
        return history == null
                ? Long.MAX_VALUE
                : history.growths().stream()
                        .filter(Growth::isOpen)
                        .mapToLong(Growth::openUntil)
                        .min()
                        .orElse(Long.MAX_VALUE);
    }

    /** Returns what makes the history as it should be by the last look; null if it is so. */
    private Step.@Nullable Change change(long now, long wall) {
        LogEnds found = look;
        if (found == null) {
            return null;
        }
        if (history == null || !history.sourceId().equals(found.sourceId())) {
            return new Step.Change(history, PartitionHistory.first(found.sourceId(), found.partitions()), 0);
        }
        if (found.partitions() > history.partitions()) {
            return new Step.Change(history, history.growing(found.partitions(), windowMillis), 0);
        }
        if (found.partitions() < Math.max(known, history.partitions())) {
            // A log does not shrink: the broker that answered is behind.
            lookedIn = NEVER;
            lookFrom = now + PERIOD_MILLIS;
            return null;
        }
        for (Growth growth : history.growths()) {
            boolean isDue = growth.isOpen()
                    && growth.openUntil() == opensUntil()
                    && lookMayClose
                    && found.ends().size() >= growth.from();
            if (isDue && found.ends().subList(0, growth.from()).stream().allMatch(end -> end >= 0)) {
                // The look must have begun when the growth was over. While a process is suspended, one of its clocks
                // may stand.
                long age = Math.max(now - lookBeganAt, wall - lookWall);
                return new Step.Change(history, history.closed(growth, found.ends()), growth.openUntil() + age);
            }
        }
        return null;
    }

    // ---- answers

    void read(Optional<PartitionHistory> found, long now) {
        step = null;
        readIn = stepIn;
        readAt = now;
        unreadSince = NEVER;
        goesOnUnread = false;
        became(found.orElse(null), now);
        if (history != null && look != null && !agree(history, look)) {
            lookedIn = NEVER; // Others may have looked later.
        }
    }

    private static boolean agree(PartitionHistory history, LogEnds look) {
        return history.sourceId().equals(look.sourceId()) && history.partitions() == look.partitions();
    }

    private void became(@Nullable PartitionHistory next, long now) {
        boolean isOther =
                history != null && (next == null || !history.sourceId().equals(next.sourceId()));
        long before = opensUntil();
        history = next;
        if (isOther || opensUntil() != before) {
            openKnownAt = now;
            lookMayClose = false;
        }
        if (isOther || !isOpen()) {
            series = LogEndLooks.NONE;
        }
    }

    void lookedUp(LogEnds found, long now) {
        step = null;
        look = found;
        lookedIn = stepIn;
        lookBeganAt = stepBeganAt;
        lookWall = stepWall;
        lookMayClose = mayClose(stepBeganAt, stepWall);
        lookEndedAt = now;
        if (isOpen() && !found.ends().isEmpty() && isSure()) {
            series = series.with(found.ends());
        }
    }

    /** @param won whether the history was replaced: nobody else had changed it, and it was time */
    void changed(boolean won, long now) {
        Step.Change change = (Step.Change) step;
        step = null;
        if (won && change != null && !change.next().begins()) {
            readAt = now;
            became(change.next(), now);
        } else {
            readIn = NEVER; // Others have changed it, or the store knows the times.
            lookMayClose = false;
        }
    }

    /** Says that a step failed. It is tried again. */
    void failed(long now) {
        if (step instanceof Step.Change) {
            readIn = NEVER; // It may have been applied.
        } else if (step instanceof Step.Read) {
            unreadSince = unreadSince == NEVER ? now : unreadSince;
            goesOnUnread = now - unreadSince >= UNREAD_MILLIS;
        }
        step = null;
        nextAt = now + PERIOD_MILLIS;
    }

    /** Begins to forget a growth whose partitions are settled. @return null if the history has changed, or a step is under way */
    Step.@Nullable Change forget(PartitionHistory of, Growth growth, long now, long wall) {
        if (step != null || !isSure() || !of.equals(history)) {
            return null;
        }
        Step.Change change = new Step.Change(of, of.without(growth), 0);
        begin(change, now, wall);
        return change;
    }
}
