package dev.tandem.runtime.schedules;

import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cron expression: second, minute, hour, day of the month, month, day of the week. With five fields the second is 0.
 *
 * <p>Where clocks are set forward or back, two rules apply. An expression whose hour is {@code *} fires at every instant at
 * which the clock shows one of its times, so it fires in both passes of an hour that comes twice. Any other expression fires
 * once for each of its local times: in the first pass of a time that comes twice, and at the end of the gap for a time that is
 * left out. Several times in one gap are one firing.
 */
public final class CronExpression {

    /** Calendars repeat after 400 years; weekdays and leap days of one kind meet within 40. */
    private static final int SEARCHED_MONTHS = 12 * 50;

    private static final int MOST_TRANSITIONS = 1_000;

    private static final Map<String, String> NAMED = Map.of(
            "@yearly", "0 0 0 1 1 *",
            "@annually", "0 0 0 1 1 *",
            "@monthly", "0 0 0 1 * *",
            "@weekly", "0 0 0 * * MON",
            "@daily", "0 0 0 * * *",
            "@midnight", "0 0 0 * * *",
            "@hourly", "0 0 * * * *");

    private final String text;
    private final long seconds;
    private final long minutes;
    private final long hours;
    private final long months;
    private final CronDays days;

    private CronExpression(String text, long seconds, long minutes, long hours, long months, CronDays days) {
        this.text = text;
        this.seconds = seconds;
        this.minutes = minutes;
        this.hours = hours;
        this.months = months;
        this.days = days;
    }

    /**
     * Reads an expression.
     *
     * @throws CronException if it cannot be read, or has no time at all; the message says what to do
     */
    public static CronExpression parse(String text) {
        String written = text.strip();
        String full = written.startsWith("@") ? named(written) : written;
        List<String> fields = List.of(full.split("\\s+"));
        if (fields.size() < 5 || fields.size() > 6) {
            throw new CronException("it has " + (full.isEmpty() ? 0 : fields.size())
                    + " fields: write six, second minute hour day-of-month month day-of-week, such as 0 30 2 * * *; or"
                    + " five, without the second");
        }
        int at = fields.size() - 5;
        CronExpression cron = new CronExpression(
                written,
                at == 0 ? 1 : CronField.SECOND.parse(fields.get(0)),
                CronField.MINUTE.parse(fields.get(at)),
                CronField.HOUR.parse(fields.get(at + 1)),
                CronField.MONTH.parse(fields.get(at + 3)),
                CronDays.parse(fields.get(at + 2), fields.get(at + 4)));
        if (cron.nextLocal(LocalDateTime.of(2024, 1, 1, 0, 0)) == null) {
            throw new CronException("it never fires, because none of its months has such a day: correct the day of the"
                    + " month ('" + fields.get(at + 2) + "'), the month ('" + fields.get(at + 3)
                    + "') or the day of the"
                    + " week ('" + fields.get(at + 4) + "')");
        }
        return cron;
    }

    private static String named(String written) {
        String fields = NAMED.get(written.toLowerCase(Locale.ROOT));
        if (fields == null) {
            throw new CronException("there is no such name: write @hourly, @daily, @weekly, @monthly or @yearly, or six"
                    + " fields such as 0 30 2 * * *");
        }
        return fields;
    }

    long seconds() {
        return seconds;
    }

    long minutes() {
        return minutes;
    }

    long hours() {
        return hours;
    }

    long months() {
        return months;
    }

    CronDays days() {
        return days;
    }

    /** Returns how often it fires in a day on which it fires. */
    public long firingsInADay() {
        return (long) Long.bitCount(seconds) * Long.bitCount(minutes) * Long.bitCount(hours);
    }

    /** Returns the first firing after an instant; null if there is none within 50 years. */
    public @Nullable Instant next(Instant after, ZoneId zone) {
        ZoneRules rules = zone.getRules();
        return Long.bitCount(hours) == 24 ? nextShown(after, rules) : nextLocalOnce(after, rules);
    }

    /** Returns the first instant at which the clock shows one of the times. */
    private @Nullable Instant nextShown(Instant after, ZoneRules rules) {
        long second = after.getEpochSecond() + 1;
        for (int i = 0; i < MOST_TRANSITIONS; i++) {
            Instant from = Instant.ofEpochSecond(second);
            ZoneOffset offset = rules.getOffset(from);
            LocalDateTime local = nextLocal(LocalDateTime.ofEpochSecond(second, 0, offset));
            if (local == null) {
                return null;
            }
            ZoneOffsetTransition transition = rules.nextTransition(from);
            long found = local.toEpochSecond(offset);
            if (transition == null || found < transition.toEpochSecond()) {
                return Instant.ofEpochSecond(found);
            }
            second = transition.toEpochSecond();
        }
        return null;
    }

    /** Returns the first instant that one of the local times stands for. Each stands for one. */
    private @Nullable Instant nextLocalOnce(Instant after, ZoneRules rules) {
        LocalDateTime from = LocalDateTime.ofEpochSecond(after.getEpochSecond(), 0, rules.getOffset(after))
                .plusSeconds(1);
        for (int i = 0; i < MOST_TRANSITIONS; i++) {
            LocalDateTime local = nextLocal(from);
            if (local == null) {
                return null;
            }
            ZoneOffsetTransition transition = rules.getTransition(local);
            Instant found = transition == null
                    ? local.toInstant(rules.getOffset(local))
                    : transition.isGap() ? transition.getInstant() : local.toInstant(transition.getOffsetBefore());
            if (found.isAfter(after)) {
                return found;
            }
            // In the second pass of a time that comes twice: its times have fired in the first one.
            from = transition == null || transition.isGap() ? local.plusSeconds(1) : transition.getDateTimeBefore();
        }
        return null;
    }

    /** Returns the first local time at or after this one; null if there is none. */
    private @Nullable LocalDateTime nextLocal(LocalDateTime from) {
        YearMonth month = YearMonth.from(from);
        LocalDate first = from.toLocalDate();
        for (int i = 0; i < SEARCHED_MONTHS; i++, month = month.plusMonths(1)) {
            if ((months >> month.getMonthValue() & 1) == 0) {
                continue;
            }
            long left = days.in(month);
            if (i == 0) {
                left &= -1L << first.getDayOfMonth();
            }
            for (; left != 0; left &= left - 1) {
                LocalDate day = month.atDay(Long.numberOfTrailingZeros(left));
                LocalTime time = timeFrom(day.equals(first) ? from.toLocalTime() : LocalTime.MIN);
                if (time != null) {
                    return day.atTime(time);
                }
            }
        }
        return null;
    }

    private @Nullable LocalTime timeFrom(LocalTime from) {
        for (long hour = hours & -1L << from.getHour(); hour != 0; hour &= hour - 1) {
            int h = Long.numberOfTrailingZeros(hour);
            boolean sameHour = h == from.getHour();
            for (long minute = sameHour ? minutes & -1L << from.getMinute() : minutes;
                    minute != 0;
                    minute &= minute - 1) {
                int m = Long.numberOfTrailingZeros(minute);
                boolean sameMinute = sameHour && m == from.getMinute();
                long second = sameMinute ? seconds & -1L << from.getSecond() : seconds;
                if (second != 0) {
                    return LocalTime.of(h, m, Long.numberOfTrailingZeros(second));
                }
            }
        }
        return null;
    }

    /** Returns the expression as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
