package dev.tandem.runtime.settings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One argument of a program, in which values of the task stand in braces: <code>{/file}</code>, a JSON pointer into the payload, or
 * <code>{task.id}</code>. It is one argument in any case, whatever the values are.
 *
 * @param text as in the settings, for people
 * @param parts what it consists of, in order
 */
public record CommandTemplate(String text, List<Part> parts) {

    /** A part of an argument. */
    public sealed interface Part {}

    /** Text that is taken as it is. */
    public record Literal(String text) implements Part {}

    /** A value of the payload, by its JSON pointer. */
    public record OfPayload(String pointer) implements Part {}

    /** Something that is known of the task. */
    public enum OfTask implements Part {
        ID,
        KEY,
        TYPE,
        QUEUE,
        ATTEMPT
    }

    private static final Pattern PART =
            Pattern.compile("\\{\\{|}}|\\{(/(?:[^{}~]|~[01])*)}|\\{task\\.(id|key|type|queue|attempt)}|[^{}]+");

    public CommandTemplate {
        parts = List.copyOf(parts);
    }

    /**
     * Reads an argument. <code>{{</code> and <code>}}</code> stand for braces.
     *
     * @throws IllegalArgumentException if it is none; the message says what to write
     */
    public static CommandTemplate parse(String text) {
        List<Part> parts = new ArrayList<>();
        Matcher found = PART.matcher(text);
        int end = 0;
        while (end < text.length() && found.find(end) && found.start() == end) {
            parts.add(part(found));
            end = found.end();
        }
        if (end < text.length()) {
            throw new IllegalArgumentException(
                    "in braces there must be a JSON pointer, such as {/file}, or task.id, task.key, task.type, task.queue or"
                            + " task.attempt; write a brace as {{ or }}");
        }
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("it must not have a NUL");
        }
        return new CommandTemplate(text, parts);
    }

    private static Part part(Matcher found) {
        String pointer = found.group(1);
        String ofTask = found.group(2);
        if (pointer != null) {
            return new OfPayload(pointer);
        } else if (ofTask != null) {
            return OfTask.valueOf(ofTask.toUpperCase(Locale.ROOT));
        }
        String literal = found.group();
        return new Literal(literal.equals("{{") ? "{" : literal.equals("}}") ? "}" : literal);
    }

    /** Whether a value of the task is the beginning of the argument, so that it could be an option. */
    public boolean beginsWithValue() {
        return !parts.isEmpty() && !(parts.get(0) instanceof Literal);
    }

    /** Whether it has a value of the payload. */
    public boolean needsPayload() {
        return parts.stream().anyMatch(OfPayload.class::isInstance);
    }
}
