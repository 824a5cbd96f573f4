package dev.tandem.runtime.schedules;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The instants of a schedule: whole seconds, known in advance, and the same in every program. */
public sealed interface Timing {

    /** Returns the first instant after this one; null if there is none within 50 years. */
    @Nullable
    Instant next(Instant after);

    /** Returns the highest number of firings in a day. */
    long firingsInADay();

    /** Returns the first instants after this one, at most {@code count}. */
    default List<Instant> next(Instant after, int count) {
        List<Instant> all = new ArrayList<>();
        for (Instant each = next(after); each != null && all.size() < count; each = next(each)) {
            all.add(each);
        }
        return all;
    }

    /** The times of a cron expression in a time zone. */
    record Cron(CronExpression expression, ZoneId zone) implements Timing {

        @Override
        public @Nullable Instant next(Instant after) {
            return expression.next(after, zone);
        }

        @Override
        public long firingsInADay() {
            return expression.firingsInADay();
        }

        @Override
        public String toString() {
            return expression + " " + zone;
        }
    }

    /**
     * The multiples of an interval since 1970-01-01T00:00Z. So all programs agree, and a restart shifts nothing.
     *
     * @param interval whole seconds, at least one
     */
    record Every(Duration interval) implements Timing {

        public Every {
            if (interval.toSeconds() < 1 || interval.getNano() != 0) {
                throw new IllegalArgumentException(
                        "The interval is " + interval + ": it must be whole seconds, 1s or more");
            }
        }

        @Override
        public Instant next(Instant after) {
            long seconds = interval.toSeconds();
            return Instant.ofEpochSecond((Math.floorDiv(after.getEpochSecond(), seconds) + 1) * seconds);
        }

        @Override
        public long firingsInADay() {
            return Math.max(1, 86_400 / interval.toSeconds());
        }

        @Override
        public String toString() {
            return "every " + interval;
        }
    }
}
