package dev.tandem.runtime.schedules;

import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.YearMonth;

/** A day of each month that has no fixed number. */
sealed interface CronRule {

    /** Returns the day of a month; 0 if the month has none. */
    int in(YearMonth month);

    /** Returns the name of the day. */
    String said(TimingGrammar grammar);

    /** The last day of a month. @param before how many days earlier; 0 for the last one itself */
    record LastDay(int before) implements CronRule {
        @Override
        public int in(YearMonth month) {
            return Math.max(0, month.lengthOfMonth() - before);
        }

        @Override
        public String said(TimingGrammar grammar) {
            return grammar.lastDay(before);
        }
    }

    /** One of Monday to Friday, nearest to a day and in the same month. @param day its number; 0 for the last day */
    record NearestWorkday(int day) implements CronRule {
        @Override
        public int in(YearMonth month) {
            int wanted = day == 0 ? month.lengthOfMonth() : day;
            if (wanted > month.lengthOfMonth()) {
                return 0;
            }
            return switch (month.atDay(wanted).getDayOfWeek()) {
                case SATURDAY -> wanted == 1 ? 3 : wanted - 1;
                case SUNDAY -> wanted == month.lengthOfMonth() ? wanted - 2 : wanted + 1;
                default -> wanted;
            };
        }

        @Override
        public String said(TimingGrammar grammar) {
            return day == 0 ? grammar.lastWorkday() : grammar.nearestWorkday(day);
        }
    }

    /** The last of its days of the week in a month. */
    record LastOfWeek(DayOfWeek day) implements CronRule {
        @Override
        public int in(YearMonth month) {
            LocalDate end = month.atEndOfMonth();
            return end.getDayOfMonth() - Math.floorMod(end.getDayOfWeek().getValue() - day.getValue(), 7);
        }

        @Override
        public String said(TimingGrammar grammar) {
            return grammar.lastOfWeek(day);
        }
    }

    /** One of the days of the week in a month. @param number 1 to 5 */
    record NthOfWeek(int number, DayOfWeek day) implements CronRule {
        @Override
        public int in(YearMonth month) {
            int first = 1
                    + Math.floorMod(
                            day.getValue() - month.atDay(1).getDayOfWeek().getValue(), 7);
            int found = first + 7 * (number - 1);
            return found <= month.lengthOfMonth() ? found : 0;
        }

        @Override
        public String said(TimingGrammar grammar) {
            return grammar.nthOfWeek(number, day);
        }
    }
}
