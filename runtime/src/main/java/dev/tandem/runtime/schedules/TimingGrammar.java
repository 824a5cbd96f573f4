package dev.tandem.runtime.schedules;

import java.time.DayOfWeek;
import java.util.List;

/** The grammar by which a language says when a schedule fires. {@link TimingWords} decides what is said. */
interface TimingGrammar {

    /** A unit of an interval, the longest first. */
    enum Unit {
        DAY(86_400),
        HOUR(3_600),
        MINUTE(60),
        SECOND(1);

        final long seconds;

        Unit(long seconds) {
            this.seconds = seconds;
        }
    }

    /** The seconds of a minute, or the minutes of an hour, in which it fires. */
    record Field(List<Integer> numbers) {

        /** Whether it begins with 0 and has equal steps, also from its last number to the next hour or minute. */
        boolean isStep() {
            return numbers.size() > 1
                    && step() * numbers.size() == 60
                    && numbers.stream().allMatch(each -> each % step() == 0);
        }

        int step() {
            return 60 / numbers.size();
        }

        boolean isAll() {
            return numbers.size() == 60;
        }
    }

    /** The days of a month, by what they are. @param months empty for all of them */
    record Days(List<Integer> fixed, List<DayOfWeek> weekdays, List<CronRule> rules, List<Integer> months) {}

    /** Says how often something happens. */
    String every(long count, Unit unit);

    /** Says that a day has few times. */
    String at(String days, List<String> times);

    /** Says that a day has many times. @param days "" for every day */
    String within(String times, String days);

    /** Says in which seconds of which minutes. @param hours "" for all of them */
    String seconds(Field seconds, Field minutes, String hours);

    /** Says in which minutes. @param hours "" for all of them */
    String minutes(Field minutes, String hours);

    /** Says that hours follow one another. @param last the last minute of the last one */
    String hours(String first, String last);

    /** Names hours one by one. */
    String hours(List<Integer> hours);

    /** Says that it is each day. @param months empty for all of them */
    String everyDay(List<Integer> months);

    /** Says on which days of every week. @param months empty for all of them */
    String weekdays(List<DayOfWeek> days, List<Integer> months);

    /** Says on which days of the months. */
    String days(Days days);

    String lastDay(int before);

    String lastWorkday();

    String nearestWorkday(int day);

    String lastOfWeek(DayOfWeek day);

    String nthOfWeek(int number, DayOfWeek day);
}
