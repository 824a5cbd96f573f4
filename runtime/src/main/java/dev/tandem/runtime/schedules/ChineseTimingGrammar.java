package dev.tandem.runtime.schedules;

import java.time.DayOfWeek;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/** Chinese, such as "每个工作日 09:00". */
final class ChineseTimingGrammar implements TimingGrammar {

    private static final String AND = "、";

    @Override
    public String every(long count, Unit unit) {
        return switch (unit) {
            case DAY -> "从 UTC 零点起，" + each(count, "天");
            case HOUR -> each(count, "小时");
            case MINUTE -> each(count, "分钟");
            case SECOND -> each(count, "秒");
        };
    }

    private static String each(long count, String unit) {
        return count == 1 ? "每" + unit : "每 " + count + " " + unit;
    }

    @Override
    public String at(String days, List<String> times) {
        return days + " " + String.join(AND, times);
    }

    @Override
    public String within(String times, String days) {
        return before(days) + times;
    }

    @Override
    public String seconds(Field seconds, Field minutes, String hours) {
        String ofMinutes = minutes.isAll() ? seconds.isStep() ? "" : "每分钟的" : field(minutes, "分", "分钟") + "的";
        return before(hours) + ofMinutes + field(seconds, "秒", "秒");
    }

    @Override
    public String minutes(Field minutes, String hours) {
        return before(hours) + (minutes.isStep() ? "" : "每小时的") + field(minutes, "分", "分钟");
    }

    private static String before(String times) {
        return times.isEmpty() ? "" : times + "，";
    }

    /** Says which seconds or minutes, in such words as "每 10 分钟" or "第 5、7 分". */
    private static String field(Field field, String unit, String span) {
        return field.isStep() ? each(field.step(), span) : "第 " + list(field.numbers()) + " " + unit;
    }

    @Override
    public String hours(String first, String last) {
        return first + " 至 " + last;
    }

    @Override
    public String hours(List<Integer> hours) {
        return list(hours) + " 点";
    }

    @Override
    public String everyDay(List<Integer> months) {
        return in(months) + "每天";
    }

    @Override
    public String weekdays(List<DayOfWeek> days, List<Integer> months) {
        boolean working = days.equals(List.copyOf(EnumSet.range(DayOfWeek.MONDAY, DayOfWeek.FRIDAY)));
        return in(months) + "每" + (working ? "个工作日" : String.join(AND, names(days)));
    }

    @Override
    public String days(Days days) {
        List<String> named = new ArrayList<>();
        if (!days.fixed().isEmpty()) {
            named.add(list(days.fixed()) + " 日");
        }
        named.addAll(names(days.weekdays()));
        days.rules().forEach(rule -> named.add(rule.said(this)));
        return (days.months().isEmpty() ? "每月" : in(days.months()))
                + (days.fixed().isEmpty() ? "" : " ")
                + String.join(AND, named);
    }

    private static List<String> names(List<DayOfWeek> days) {
        return days.stream().map(ChineseTimingGrammar::name).toList();
    }

    private static String name(DayOfWeek day) {
        return day.getDisplayName(TextStyle.FULL, Locale.SIMPLIFIED_CHINESE);
    }

    private static String in(List<Integer> months) {
        return months.isEmpty() ? "" : list(months) + " 月";
    }

    @Override
    public String lastDay(int before) {
        return before == 0 ? "最后一天" : "倒数第 " + (before + 1) + " 天";
    }

    @Override
    public String lastWorkday() {
        return "最后一个工作日";
    }

    @Override
    public String nearestWorkday(int day) {
        return "离 " + day + " 日最近的工作日";
    }

    @Override
    public String lastOfWeek(DayOfWeek day) {
        return "最后一个" + name(day);
    }

    @Override
    public String nthOfWeek(int number, DayOfWeek day) {
        return "第 " + number + " 个" + name(day);
    }

    private static String list(List<Integer> numbers) {
        return String.join(AND, numbers.stream().map(String::valueOf).toList());
    }
}
