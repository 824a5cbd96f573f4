package dev.tandem.runtime.schedules;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The next step of a schedule, given up to which instant it has fired and what time it is. All times are epoch milliseconds.
 *
 * @param at when the step is due; {@link #NEVER} if nothing is to come
 * @param fires whether the instant fires; false if it and those before it are passed over
 * @param instant the last instant that the step deals with
 * @param missed how many instants are passed over as missed, {@link #MOST_COUNTED} for that many or more
 */
record FiringPlan(long at, boolean fires, long instant, int missed) {

    static final long NEVER = Long.MAX_VALUE;

    static final int MOST_COUNTED = 1_000;

    private static final FiringPlan NOTHING = new FiringPlan(NEVER, false, NEVER, 0);

    /** @param fired the last instant that fired or was passed over */
    static FiringPlan of(Schedule schedule, long fired, long now) {
        long first = next(schedule, fired);
        if (first == NEVER) {
            return NOTHING;
        }
        long due = schedule.dueAt(first);
        if (due > now || !isMissed(schedule, first, now)) {
            return new FiringPlan(due, true, first, 0);
        }
        return switch (schedule.misfire()) {
            case ALL -> fire(schedule, fired, latest(schedule, fired, now, schedule.misfireMax()));
            case ONE -> {
                long inTime = firstInTime(schedule, fired, now);
                yield fire(schedule, fired, inTime <= now ? inTime : latest(schedule, fired, now, 1));
            }
            case NONE -> {
                long inTime = firstInTime(schedule, fired, now);
                if (inTime <= now) {
                    yield fire(schedule, fired, inTime);
                }
                long last = latest(schedule, fired, now, 1);
                yield new FiringPlan(now, false, last, count(schedule, fired, last));
            }
        };
    }

    private static FiringPlan fire(Schedule schedule, long fired, long instant) {
        int missed = count(schedule, fired, instant - 1);
        return new FiringPlan(schedule.dueAt(instant), true, instant, missed);
    }

    private static boolean isMissed(Schedule schedule, long instant, long now) {
        return now - schedule.dueAt(instant) > schedule.misfireAfter().toMillis();
    }

    /** Returns the first instant after the fired ones that is not missed. It may be in the future. */
    private static long firstInTime(Schedule schedule, long fired, long now) {
        long span = schedule.misfireAfter().toMillis() + schedule.jitter().toMillis();
        long instant = next(schedule, Math.max(fired, now - span - 1));
        while (instant <= now && isMissed(schedule, instant, now)) {
            instant = next(schedule, instant);
        }
        return instant;
    }

    /** Returns the first of the latest instants up to now, of which there are at most {@code most}, and at least one. */
    private static long latest(Schedule schedule, long fired, long now, int most) {
        // There are more than that after `many`, and no more after `few`.
        long many = fired;
        long few = now;
        if (!moreThan(schedule, fired, now, most)) {
            return next(schedule, fired);
        }
        while (few - many > 1_000) {
            long middle = many + (few - many) / 2;
            if (moreThan(schedule, middle, now, most)) {
                many = middle;
            } else {
                few = middle;
            }
        }
        long instant = next(schedule, many);
        while (moreThan(schedule, instant - 1, now, most)) {
            instant = next(schedule, instant);
        }
        return instant;
    }

    private static boolean moreThan(Schedule schedule, long after, long upTo, int most) {
        long instant = after;
        for (int i = 0; i <= most; i++) {
            instant = next(schedule, instant);
            if (instant > upTo) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many instants there are after one and up to another, and no more than {@link #MOST_COUNTED}. */
    private static int count(Schedule schedule, long after, long upTo) {
        int count = 0;
        for (long each = next(schedule, after); each <= upTo && count < MOST_COUNTED; each = next(schedule, each)) {
            count++;
        }
        return count;
    }

    private static long next(Schedule schedule, long after) {
        @Nullable Instant next = schedule.timing().next(Instant.ofEpochMilli(after));
        return next == null ? NEVER : next.toEpochMilli();
    }
}
