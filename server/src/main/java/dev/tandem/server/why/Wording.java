package dev.tandem.server.why;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * How an answer is worded.
 *
 * @param key whose turn it is: the key's name, or the task's if there is no key
 * @param byTask whether a task was asked about
 * @param name the name of what was asked about
 * @param zone for the times in the sentence
 */
public record Wording(String queue, String key, boolean byTask, String name, ZoneId zone, Instant now) {

    private static final DateTimeFormatter TODAY = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter OTHER_DAY = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final int MAX_ERROR = 120;

    /** Returns a time: short if it is today. UTC is named, since it is nobody's watch. */
    String time(Instant at) {
        boolean today = at.atZone(zone).toLocalDate().equals(now.atZone(zone).toLocalDate());
        String text = (today ? TODAY : OTHER_DAY).withZone(zone).format(at.truncatedTo(ChronoUnit.SECONDS));
        return zone.getRules().equals(ZoneOffset.UTC.getRules()) ? text + " UTC" : text;
    }

    /** Returns the first line of an error, not too long. */
    static String brief(String error) {
        String line = error.lines().findFirst().orElse("").strip();
        return line.length() <= MAX_ERROR ? line : line.substring(0, MAX_ERROR - 1) + "…";
    }

    /** Returns a command on the key that was asked about. */
    String keyCommand(String verb) {
        return "./tandem keys " + verb + " " + shell(queue) + " " + shell(key);
    }

    /** Quotes a word for a shell where that is needed. */
    static String shell(String word) {
        return word.matches("[\\w.:@/%+=,][\\w.:@/%+=,-]*") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
