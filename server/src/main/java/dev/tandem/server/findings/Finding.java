package dev.tandem.server.findings;

import org.jspecify.annotations.Nullable;

/**
 * One thing that was checked.
 *
 * @param area what was looked at: {@code server}, {@code redis}, {@code kafka}, {@code rabbitmq}, {@code queue} or {@code
 *     clock}
 * @param subject which one, such as a queue or an address; absent if there is only one
 * @param check one word for programs: what was checked, such as {@code redis-fit}
 * @param level how bad it is
 * @param text what was found, for people
 * @param remedy what to do; absent if there is nothing to do
 */
public record Finding(
        String area,
        @Nullable String subject,
        String check,
        Level level,
        String text,
        @Nullable String remedy) {

    /** How bad a finding is. */
    public enum Level {
        /** Is as it should be. */
        OK,
        /** Works, but not as it is recommended; or something is unknown. */
        WARNING,
        /** Tasks may be lost, or do not run. */
        PROBLEM
    }

    public static Finding ok(String area, @Nullable String subject, String check, String text) {
        return new Finding(area, subject, check, Level.OK, text, null);
    }

    public static Finding warning(String area, @Nullable String subject, String check, String text, String remedy) {
        return new Finding(area, subject, check, Level.WARNING, text, remedy);
    }

    public static Finding problem(String area, @Nullable String subject, String check, String text, String remedy) {
        return new Finding(area, subject, check, Level.PROBLEM, text, remedy);
    }
}
