package dev.tandem.runtime.schedules;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/** English, such as "every weekday at 09:00". */
final class EnglishTimingGrammar implements TimingGrammar {

    private static final List<String> NUMBERS = List.of("first", "second", "third", "fourth", "fifth");

    @Override
    public String every(long count, Unit unit) {
        return every(count, unit.name().toLowerCase(Locale.ROOT)) + (unit == Unit.DAY ? " from midnight UTC" : "");
    }

    private static String every(long count, String unit) {
        return "every " + (count == 1 ? unit : count + " " + unit + "s");
    }

    @Override
    public String at(String days, List<String> times) {
        return days + " at " + list(times);
    }

    @Override
    public String within(String times, String days) {
        return times + (days.isEmpty() ? "" : ", " + days);
    }

    @Override
    public String seconds(Field seconds, Field minutes, String hours) {
        if (!minutes.isAll()) {
            String ofMinutes = field(minutes, "minute").replaceFirst("^at ", "");
            return field(seconds, "second") + " of " + ofMinutes + hours;
        }
        return field(seconds, "second") + (seconds.isStep() ? "" : " of every minute") + hours;
    }

    @Override
    public String minutes(Field minutes, String hours) {
        if (minutes.numbers().size() == 1) {
            String minute = field(minutes, "minute");
            return hours.isEmpty() ? "every hour " + minute : minute + " of each hour" + hours;
        }
        return field(minutes, "minute") + (hours.isEmpty() && !minutes.isStep() ? " of every hour" : hours);
    }

    /** Says which seconds or minutes, in such words as "every 10 minutes" or "at minutes 5 and 7". */
    private static String field(Field field, String unit) {
        List<Integer> numbers = field.numbers();
        return field.isStep()
                ? every(field.step(), unit)
                : "at " + unit + (numbers.size() == 1 ? " " : "s ") + listed(numbers);
    }

    @Override
    public String hours(String first, String last) {
        return " from " + first + " to " + last;
    }

    @Override
    public String hours(List<Integer> hours) {
        return " in the hours "
                + list(hours.stream().map(each -> TimingWords.clock(each, 0)).toList());
    }

    @Override
    public String everyDay(List<Integer> months) {
        return "every day" + in(months);
    }

    @Override
    public String weekdays(List<DayOfWeek> days, List<Integer> months) {
        return "every " + list(names(days)) + in(months);
    }

    @Override
    public String days(Days days) {
        List<String> named = new ArrayList<>();
        if (!days.fixed().isEmpty()) {
            named.add((days.fixed().size() == 1 ? "day " : "days ") + listed(days.fixed()));
        }
        named.addAll(names(days.weekdays()));
        days.rules().forEach(rule -> named.add(rule.said(this)));
        return "on " + list(named) + (days.months().isEmpty() ? " of every month" : in(days.months()));
    }

    private static List<String> names(List<DayOfWeek> days) {
        return days.equals(List.copyOf(EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY)))
                ? List.of("weekday")
                : days.stream().map(EnglishTimingGrammar::name).toList();
    }

    private static String name(DayOfWeek day) {
        return day.getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    private static String in(List<Integer> months) {
        return months.isEmpty()
                ? ""
                : " in "
                        + list(months.stream()
                                .map(each -> Month.of(each).getDisplayName(TextStyle.FULL, Locale.ENGLISH))
                                .toList());
    }

    @Override
    public String lastDay(int before) {
        return before == 0 ? "the last day" : "the last day but " + before;
    }

    @Override
    public String lastWorkday() {
        return "the last weekday";
    }

    @Override
    public String nearestWorkday(int day) {
        return "the weekday nearest to day " + day;
    }

    @Override
    public String lastOfWeek(DayOfWeek day) {
        return "the last " + name(day);
    }

    @Override
    public String nthOfWeek(int number, DayOfWeek day) {
        return "the " + NUMBERS.get(number - 1) + " " + name(day);
    }

    private static String listed(List<Integer> numbers) {
        return list(numbers.stream().map(String::valueOf).toList());
    }

    private static String list(List<String> all) {
        int last = all.size() - 1;
        return last == 0 ? all.get(0) : String.join(", ", all.subList(0, last)) + " and " + all.get(last);
    }
}
