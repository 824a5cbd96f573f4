package dev.tandem.runtime.schedules;

import dev.tandem.runtime.schedules.TimingGrammar.Days;
import dev.tandem.runtime.schedules.TimingGrammar.Field;
import dev.tandem.runtime.schedules.TimingGrammar.Unit;
import java.time.DayOfWeek;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Says when a schedule fires, such as "every weekday at 09:00 Europe/Zurich". Immutable. */
public final class TimingWords {

    public static final TimingWords ENGLISH = new TimingWords(new EnglishTimingGrammar());
    public static final TimingWords CHINESE = new TimingWords(new ChineseTimingGrammar());

    /** Times of a day are named one by one up to this many. */
    private static final int MOST_TIMES = 8;

    private final TimingGrammar grammar;

    private TimingWords(TimingGrammar grammar) {
        this.grammar = grammar;
    }

    /** Returns the words for a timing. */
    public String of(Timing timing) {
        if (timing instanceof Timing.Every every) {
            return every(every.interval());
        }
        Timing.Cron cron = (Timing.Cron) timing;
        return of(cron.expression()) + " " + cron.zone().getId();
    }

    private String every(Duration interval) {
        long seconds = interval.toSeconds();
        for (Unit unit : Unit.values()) {
            if (seconds % unit.seconds == 0) {
                return grammar.every(seconds / unit.seconds, unit);
            }
        }
        throw new IllegalStateException("every number of seconds is one of seconds");
    }

    String of(CronExpression cron) {
        boolean atTimes = Long.bitCount(cron.hours()) < 24 && cron.firingsInADay() <= MOST_TIMES;
        String days = days(cron, atTimes);
        return atTimes ? grammar.at(days, times(cron)) : grammar.within(withinDay(cron), days);
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
    private String withinDay(CronExpression cron) {
        Field minutes = new Field(numbers(cron.minutes()));
        return cron.seconds() == 1
                ? grammar.minutes(minutes, hours(cron))
                : grammar.seconds(new Field(numbers(cron.seconds())), minutes, hours(cron));
    }

    /** Says in which hours of the day; nothing if in all of them. */
    private String hours(CronExpression cron) {
        List<Integer> hours = numbers(cron.hours());
        int first = hours.get(0);
        int last = hours.get(hours.size() - 1);
        if (hours.size() == 24) {
            return "";
        }
        return hours.size() > 1 && last - first == hours.size() - 1
                ? grammar.hours(clock(first, 0), clock(last, 59))
                : grammar.hours(hours);
    }

    /** Says on which days. @param always whether to say so too if it is every day */
    private String days(CronExpression cron, boolean always) {
        List<Integer> months = numbers(cron.months());
        List<Integer> some = months.size() == 12 ? List.of() : months;
        CronDays days = cron.days();
        if (days.isEveryDay()) {
            return some.isEmpty() && !always ? "" : grammar.everyDay(some);
        }
        List<DayOfWeek> weekdays =
                numbers(days.weekdays()).stream().map(DayOfWeek::of).toList();
        return days.isOfWeek() && days.rules().isEmpty()
                ? grammar.weekdays(weekdays, some)
                : grammar.days(new Days(numbers(days.fixed()), weekdays, days.rules(), some));
    }

    private static List<Integer> numbers(long bits) {
        List<Integer> numbers = new ArrayList<>();
        for (long left = bits; left != 0; left &= left - 1) {
            numbers.add(Long.numberOfTrailingZeros(left));
        }
        return numbers;
    }

    static String clock(int hour, int minute) {
        return twoDigits(hour) + ":" + twoDigits(minute);
    }

    private static String twoDigits(int number) {
        return number < 10 ? "0" + number : Integer.toString(number);
    }
}
