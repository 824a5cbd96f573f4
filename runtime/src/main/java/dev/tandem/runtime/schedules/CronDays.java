package dev.tandem.runtime.schedules;

import java.time.DayOfWeek;
import java.time.YearMonth;
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

    private final long fixed;
    private final long weekdays;
    private final List<CronRule> rules;
    private final boolean ofWeek;

    private CronDays(long fixed, long weekdays, List<CronRule> rules, boolean ofWeek) {
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
        List<CronRule> rules = new ArrayList<>();
        for (String part : (anyDay ? week : month).split(",", -1)) {
            CronRule rule = isAny(part) ? null : anyDay ? ofWeek(part) : ofMonth(part);
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

    private static @Nullable CronRule ofMonth(String part) {
        Matcher last = LAST.matcher(part);
        if (last.matches()) {
            int before = last.group(2) == null ? 0 : Integer.parseInt(last.group(2));
            if (before > 30) {
                throw CronField.DAY_OF_MONTH.refused(part, "no month has so many days");
            }
            return new CronRule.LastDay(before);
        }
        Matcher nearest = NEAREST.matcher(part);
        if (nearest.matches()) {
            boolean end = nearest.group(1).equals("L");
            return new CronRule.NearestWorkday(end ? 0 : CronField.DAY_OF_MONTH.number(nearest.group(1)));
        }
        return null;
    }

    private static @Nullable CronRule ofWeek(String part) {
        Matcher last = LAST_WEEKDAY.matcher(part);
        if (last.matches()) {
            return new CronRule.LastOfWeek(weekday(last.group(1)));
        }
        Matcher nth = NTH_WEEKDAY.matcher(part);
        if (nth.matches()) {
            int number = Integer.parseInt(nth.group(2));
            if (number < 1 || number > 5) {
                throw CronField.DAY_OF_WEEK.refused(part, "the number behind # must be 1 to 5");
            }
            return new CronRule.NthOfWeek(number, weekday(nth.group(1)));
        }
        return null;
    }

    private static DayOfWeek weekday(String text) {
        int number = CronField.DAY_OF_WEEK.number(text);
        return DayOfWeek.of(number == 0 ? 7 : number);
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

    /** Returns the other days. */
    List<CronRule> rules() {
        return rules;
    }

    /** Returns the days of a month, a bit for each; bit 0 is never set. */
    long in(YearMonth month) {
        long days = fixed;
        for (CronRule rule : rules) {
            days |= 1L << rule.in(month);
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
