package dev.tandem.runtime.schedules;

import java.time.Duration;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Says in English when a schedule fires, such as "every weekday at 09:00 Europe/Zurich". */
public final class TimingWords {

    /** Times of a day are named one by one up to this many. */
    private static final int MOST_TIMES = 8;

    private TimingWords() {}

    /** Returns the words for a timing. */
    public static String of(Timing timing) {
        if (timing instanceof Timing.Every every) {
            return every(every.interval());
        }
        Timing.Cron cron = (Timing.Cron) timing;
        return of(cron.expression()) + " " + cron.zone().getId();
    }

    private static String every(Duration interval) {
        long seconds = interval.toSeconds();
        if (seconds % 86_400 == 0) {
            return "every " + counted(seconds / 86_400, "day") + " from midnight UTC";
        } else if (seconds % 3_600 == 0) {
            return "every " + counted(seconds / 3_600, "hour");
        }
        return "every " + (seconds % 60 == 0 ? counted(seconds / 60, "minute") : counted(seconds, "second"));
    }

    private static String counted(long count, String unit) {
        return count == 1 ? unit : count + " " + unit + "s";
    }

    static String of(CronExpression cron) {
        boolean atTimes = Long.bitCount(cron.hours()) < 24 && cron.firingsInADay() <= MOST_TIMES;
        String days = days(cron, atTimes);
        return atTimes ? days + " at " + list(times(cron)) : withinDay(cron) + (days.isEmpty() ? "" : ", " + days);
    }

    private static List<String> times(CronExpression cron) {
        List<String> times = new ArrayList<>();
        for (int hour : numbers(cron.hours())) {
            for (int minute : numbers(cron.minutes())) {
                for (int second : numbers(cron.seconds())) {
                    times.add(clock(hour, minute) + (cron.seconds() == 1 ? "" : ":" + twoDigits(second)));
                }
            }
        }
        return times;
    }

    /** Says when it fires in a day that has too many times to name them. */
    private static String withinDay(CronExpression cron) {
        String hours = hours(cron);
        if (cron.seconds() != 1) {
            String seconds = field(cron.seconds(), 60, "second");
            String minutes = Long.bitCount(cron.minutes()) == 60
                    ? ""
                    : " of " + field(cron.minutes(), 60, "minute").replaceFirst("^at ", "");
            return (minutes.isEmpty() && !seconds.startsWith("every")
                            ? seconds + " of every minute"
                            : seconds + minutes)
                    + hours;
        } else if (Long.bitCount(cron.minutes()) == 1) {
            boolean everyHour = Long.bitCount(cron.hours()) == 24;
            String minute = "at minute " + Long.numberOfTrailingZeros(cron.minutes());
            return everyHour ? "every hour " + minute : minute + " of each hour" + hours;
        }
        return field(cron.minutes(), 60, "minute")
                + (hours.isEmpty() && !isStep(cron.minutes(), 60) ? " of every hour" : hours);
    }

    /** Says in which hours of the day; nothing if in all of them. */
    private static String hours(CronExpression cron) {
        List<Integer> hours = numbers(cron.hours());
        int first = hours.get(0);
        int last = hours.get(hours.size() - 1);
        if (hours.size() == 24) {
            return "";
        } else if (hours.size() > 1 && last - first == hours.size() - 1) {
            return " from " + clock(first, 0) + " to " + clock(last, 59);
        }
        return " in the hours "
                + list(hours.stream().map(each -> clock(each, 0)).toList());
    }

    /** Says which seconds or minutes, in such words as "every 10 minutes" or "at minutes 5 and 7". */
    private static String field(long bits, int count, String unit) {
        List<Integer> numbers = numbers(bits);
        if (isStep(bits, count)) {
            return "every " + counted(count / numbers.size(), unit);
        }
        return "at " + unit + (numbers.size() == 1 ? " " : "s ")
                + list(numbers.stream().map(String::valueOf).toList());
    }

    /** Whether a set begins with 0 and has equal steps, also from its last number to the next hour or minute. */
    private static boolean isStep(long bits, int count) {
        List<Integer> numbers = numbers(bits);
        int step = count / numbers.size();
        return numbers.size() > 1
                && step * numbers.size() == count
                && numbers.stream().allMatch(each -> each % step == 0);
    }

    // ---- days ----

    /** Says on which days. @param always whether to say so too if it is every day */
    private static String days(CronExpression cron, boolean always) {
        List<Integer> months = numbers(cron.months());
        String inMonths = months.size() == 12
                ? ""
                : " in " + list(months.stream().map(TimingWords::month).toList());
        if (cron.days().isEveryDay()) {
            return months.size() == 12 && !always ? "" : "every day" + inMonths;
        } else if (cron.days().isOfWeek()) {
            List<String> days = new ArrayList<>(weekdays(cron.days().weekdays()));
            days.addAll(cron.days().rules());
            boolean simple = cron.days().rules().isEmpty();
            return (simple ? "every " + list(days) : "on " + list(days) + (inMonths.isEmpty() ? " of every month" : ""))
                    + inMonths;
        }
        List<String> days = new ArrayList<>();
        List<Integer> fixed = numbers(cron.days().fixed());
        if (!fixed.isEmpty()) {
            days.add((fixed.size() == 1 ? "day " : "days ")
                    + list(fixed.stream().map(String::valueOf).toList()));
        }
        days.addAll(cron.days().rules());
        return "on " + list(days) + (inMonths.isEmpty() ? " of every month" : inMonths);
    }

    private static List<String> weekdays(long bits) {
        long working = 0b111110;
        return bits == working
                ? List.of("weekday")
                : numbers(bits).stream().map(CronDays::weekdayName).toList();
    }

    private static String month(int number) {
        return Month.of(number).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    // ---- texts ----

    private static List<Integer> numbers(long bits) {
        List<Integer> numbers = new ArrayList<>();
        for (long left = bits; left != 0; left &= left - 1) {
            numbers.add(Long.numberOfTrailingZeros(left));
        }
        return numbers;
    }

    private static String list(List<String> all) {
        int last = all.size() - 1;
        return last == 0 ? all.get(0) : String.join(", ", all.subList(0, last)) + " and " + all.get(last);
    }

    private static String clock(int hour, int minute) {
        return twoDigits(hour) + ":" + twoDigits(minute);
    }

    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }
}
