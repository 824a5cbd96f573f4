package dev.tandem.runtime.schedules;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The days of a month on which a cron expression fires. */
final class CronDays {

    private static final Pattern LAST = Pattern.compile("L(-(\\d{1,2}))?");
    private static final Pattern NEAREST = Pattern.compile("(\\d{1,2}|L)W");
    private static final Pattern LAST_WEEKDAY = Pattern.compile("([0-7]|[A-Z]{3})L");
    private static final Pattern NTH_WEEKDAY = Pattern.compile("([0-7]|[A-Z]{3})#(\\d)");

    private static final long ALL_OF_WEEK = 0b11111110;

    private static final List<String> NUMBERS = List.of("first", "second", "third", "fourth", "fifth");

    /** Returns a day of a month; 0 if the month has none. */
    private interface Day {
        int in(YearMonth month);
    }

    /** A day of each month that has no fixed number. @param words name it, such as "the last Friday" */
    private record Rule(String words, Day day) {}

    private final long fixed;
    private final long weekdays;
    private final List<Rule> rules;
    private final boolean ofWeek;

    private CronDays(long fixed, long weekdays, List<Rule> rules, boolean ofWeek) {
        this.fixed = fixed;
        this.weekdays = weekdays;
        this.rules = rules;
        this.ofWeek = ofWeek;
    }

    /** @throws CronException if one of the fields says nothing, or both restrict the days */
    static CronDays parse(String ofMonth, String ofWeek) {
        String month = ofMonth.toUpperCase(Locale.ROOT);
        String week = ofWeek.toUpperCase(Locale.ROOT);
        boolean anyDay = isAny(month);
        if (!anyDay && !isAny(week)) {
            throw new CronException("it restricts both the day of the month ('" + ofMonth
                    + "') and the day of the week ('"
                    + ofWeek + "'), which some programs take for either and others for both: write * for one of them;"
                    + " MON#1 is the first Monday of a month, 1L the last one");
        }
        long fixed = 0;
        long weekdays = 0;
        List<Rule> rules = new ArrayList<>();
        for (String part : (anyDay ? week : month).split(",", -1)) {
            Rule rule = isAny(part) ? null : anyDay ? ofWeek(part) : ofMonth(part);
            if (rule != null) {
                rules.add(rule);
            } else if (anyDay) {
                weekdays |= CronField.DAY_OF_WEEK.parse(part.equals("?") ? "*" : part);
            } else {
                fixed |= CronField.DAY_OF_MONTH.parse(part);
            }
        }
        return new CronDays(fixed, weekdays, rules, anyDay);
    }

    private static boolean isAny(String text) {
        return text.equals("*") || text.equals("?");
    }

    private static @Nullable Rule ofMonth(String part) {
        Matcher last = LAST.matcher(part);
        if (last.matches()) {
            int before = last.group(2) == null ? 0 : Integer.parseInt(last.group(2));
            if (before > 30) {
                throw CronField.DAY_OF_MONTH.refused(part, "no month has so many days");
            }
            String words = before == 0 ? "the last day" : "the last day but " + before;
            return new Rule(words, month -> Math.max(0, month.lengthOfMonth() - before));
        }
        Matcher nearest = NEAREST.matcher(part);
        if (nearest.matches()) {
            boolean end = nearest.group(1).equals("L");
            int day = end ? 0 : CronField.DAY_OF_MONTH.number(nearest.group(1));
            return new Rule(
                    end ? "the last weekday" : "the weekday nearest to day " + day,
                    month -> nearestWorkday(month, end ? month.lengthOfMonth() : day));
        }
        return null;
    }

    /** Returns Monday to Friday nearest to a day, in the same month; 0 if the month has no such day. */
    private static int nearestWorkday(YearMonth month, int day) {
        if (day > month.lengthOfMonth()) {
            return 0;
        }
        return switch (month.atDay(day).getDayOfWeek()) {
            case SATURDAY -> day == 1 ? 3 : day - 1;
            case SUNDAY -> day == month.lengthOfMonth() ? day - 2 : day + 1;
            default -> day;
        };
    }

    private static @Nullable Rule ofWeek(String part) {
        Matcher last = LAST_WEEKDAY.matcher(part);
        if (last.matches()) {
            DayOfWeek day = weekday(last.group(1));
            return new Rule("the last " + weekdayName(day.getValue()), month -> {
                LocalDate end = month.atEndOfMonth();
                return end.getDayOfMonth() - Math.floorMod(end.getDayOfWeek().getValue() - day.getValue(), 7);
            });
        }
        Matcher nth = NTH_WEEKDAY.matcher(part);
        if (nth.matches()) {
            DayOfWeek day = weekday(nth.group(1));
            int number = Integer.parseInt(nth.group(2));
            if (number < 1 || number > 5) {
                throw CronField.DAY_OF_WEEK.refused(part, "the number behind # must be 1 to 5");
            }
            String words = "the " + NUMBERS.get(number - 1) + " " + weekdayName(day.getValue());
            return new Rule(words, month -> {
                int first = 1
                        + Math.floorMod(
                                day.getValue() - month.atDay(1).getDayOfWeek().getValue(), 7);
                int found = first + 7 * (number - 1);
                return found <= month.lengthOfMonth() ? found : 0;
            });
        }
        return null;
    }

    private static DayOfWeek weekday(String text) {
        int number = CronField.DAY_OF_WEEK.number(text);
        return DayOfWeek.of(number == 0 ? 7 : number);
    }

    static String weekdayName(int number) {
        return DayOfWeek.of(number).getDisplayName(TextStyle.FULL, Locale.ENGLISH);
    }

    boolean isEveryDay() {
        return weekdays == ALL_OF_WEEK && rules.isEmpty();
    }

    /** Whether the days are days of the week, with or without their number in the month. */
    boolean isOfWeek() {
        return ofWeek;
    }

    /** Returns the days of the month that have fixed numbers, a bit for each. */
    long fixed() {
        return fixed;
    }

    /** Returns the days of the week, a bit for each; Monday is 1. */
    long weekdays() {
        return weekdays;
    }

    /** Returns the names of the other days. */
    List<String> rules() {
        return rules.stream().map(Rule::words).toList();
    }

    /** Returns the days of a month, a bit for each; bit 0 is never set. */
    long in(YearMonth month) {
        long days = fixed;
        for (Rule rule : rules) {
            days |= 1L << rule.day().in(month);
        }
        if (weekdays != 0) {
            int first = month.atDay(1).getDayOfWeek().getValue();
            for (int day = 1; day <= month.lengthOfMonth(); day++) {
                int weekday = (first + day - 2) % 7 + 1;
                days |= (weekdays >> weekday & 1) << day;
            }
        }
        return days & ((1L << month.lengthOfMonth() + 1) - 2);
    }
}
