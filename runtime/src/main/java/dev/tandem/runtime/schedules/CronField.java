package dev.tandem.runtime.schedules;

import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/** The fields of a cron expression that are sets of numbers: their bounds, their names, and how they are written. */
enum CronField {
    SECOND("second", 0, 59, List.of()),
    MINUTE("minute", 0, 59, List.of()),
    HOUR("hour", 0, 23, List.of()),
    DAY_OF_MONTH("day of the month", 1, 31, List.of()),
    MONTH("month", 1, 12, List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")),
    /** Monday is 1 and Sunday 7. A 0 is read as Sunday too. */
    DAY_OF_WEEK("day of the week", 0, 7, List.of("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"));

    private final String title;
    private final int min;
    private final int max;
    private final List<String> names;

    CronField(String title, int min, int max, List<String> names) {
        this.title = title;
        this.min = min;
        this.max = max;
        this.names = names;
    }

    /** Returns the set that a text describes, a bit for each number. @throws CronException if it describes none */
    long parse(String text) {
        long bits = 0;
        for (String part : text.split(",", -1)) {
            bits |= part(part);
        }
        return this == DAY_OF_WEEK && (bits & 1) != 0 ? (bits & ~1L) | 1L << 7 : bits;
    }

    private long part(String part) {
        int slash = part.indexOf('/');
        int step = slash < 0 ? 1 : step(part, part.substring(slash + 1));
        String range = slash < 0 ? part : part.substring(0, slash);
        int from;
        int to;
        if (range.equals("*")) {
            from = this == DAY_OF_WEEK ? 1 : min;
            to = max;
        } else {
            int dash = range.indexOf('-', 1);
            from = number(dash < 0 ? range : range.substring(0, dash));
            to = dash >= 0 ? end(range.substring(dash + 1)) : slash >= 0 ? max : from;
        }
        if (from > to) {
            throw refused(
                    part,
                    "the range ends before it begins: write two ranges, such as " + from + "-" + max + "," + min + "-"
                            + to);
        }
        int every = step;
        return IntStream.rangeClosed(from, to)
                .filter(each -> (each - from) % every == 0)
                .mapToLong(each -> 1L << each)
                .reduce(0, (all, each) -> all | each);
    }

    private int step(String part, String text) {
        int step = text.matches("\\d{1,2}") ? Integer.parseInt(text) : 0;
        if (step < 1 || step > max - min) {
            throw refused(part, "the step behind / must be 1 to " + (max - min));
        }
        return step;
    }

    /** A range to Sunday ends with 7, whatever it begins with. */
    private int end(String text) {
        int end = number(text);
        return this == DAY_OF_WEEK && end == 0 ? 7 : end;
    }

    /** Returns a number, or what a name stands for. @throws CronException if it is out of bounds */
    int number(String text) {
        int named = names.indexOf(text.toUpperCase(Locale.ROOT));
        if (named >= 0) {
            return named + 1;
        }
        if (text.matches("\\d{1,2}")) {
            int number = Integer.parseInt(text);
            if (number >= min && number <= max) {
                return number;
            }
        }
        throw refused(
                text,
                "it must be " + min + " to " + max
                        + (names.isEmpty() ? "" : ", or " + names.get(0) + " to " + names.get(names.size() - 1))
                        + ", or a range, a list or a step of such, or *");
    }

    CronException refused(String text, String remedy) {
        return new CronException("the " + title + " is '" + text + "': " + remedy);
    }
}
