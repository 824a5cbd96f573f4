package dev.tandem.server.why;

import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The words that sentences about a key or a task have in common.
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

    /** Whether the sentence is about this task, so that it need not be named once more. */
    boolean isAbout(String task) {
        return key.equals(task);
    }

    /** Returns who waits for a task. */
    Sentence waitsFor(String task) {
        return isAbout(task) ? Sentence.of("waits", key) : Sentence.of("waits-for", key, task);
    }

    /** Returns for which task something is needed. */
    Sentence forTask(String task) {
        return isAbout(task) ? Sentence.NOTHING : Sentence.of("for-task", task);
    }

    /** Returns the first line of an error, not too long, behind what it explains; nothing if there is none. */
    static Sentence error(@Nullable String error) {
        if (error == null) {
            return Sentence.NOTHING;
        }
        String line = error.lines().findFirst().orElse("").strip();
        String brief = line.length() <= MAX_ERROR ? line : line.substring(0, MAX_ERROR - 1) + "…";
        return Sentence.of("error", Sentence.error(brief));
    }

    /** Returns a command on the key that was asked about. */
    String keyCommand(String verb) {
        return "./tandem keys " + verb + " " + shell(queue) + " " + shell(key);
    }

    /** Returns the command that runs a task now. */
    String reschedule(TaskRef task) {
        return "./tandem tasks reschedule --now " + shell(queue) + " " + task;
    }

    /** Returns the command that cancels a task. @param task its name, as a shell takes it */
    String cancel(String task) {
        return "./tandem tasks cancel " + shell(queue) + " " + task;
    }

    /** Quotes a word for a shell where that is needed. */
    static String shell(String word) {
        return word.matches("[\\w.:@/%+=,][\\w.:@/%+=,-]*") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
