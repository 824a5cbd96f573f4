package dev.tandem.runtime.settings;

import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One argument of a command, in which values of the task stand in braces: <code>{/file}</code>, a JSON pointer into the payload, or
 * <code>{task.id}</code>. It is one argument in any case, whatever the values are.
 *
 * @param text <code>{{</code> and <code>}}</code> stand for braces
 */
public record CommandTemplate(String text) {

    private static final Pattern PART =
            Pattern.compile("\\{\\{|}}|\\{(/(?:[^{}~]|~[01])*|task\\.(?:id|key|type|queue|attempt))}|[^{}]+");

    /** Returns what is wrong with an argument; null if nothing is. */
    static @Nullable String problem(String text) {
        Matcher parts = PART.matcher(text);
        int end = 0;
        while (end < text.length() && parts.find(end) && parts.start() == end) {
            end = parts.end();
        }
        if (end < text.length()) {
            return "in braces there must be a JSON pointer, such as {/file}, or task.id, task.key, task.type, task.queue or"
                    + " task.attempt; write a brace as {{ or }}";
        }
        return text.indexOf('\0') >= 0 ? "it must not have a NUL" : null;
    }

    /** Whether a value of the task is the beginning of the argument, so that it could be an option. */
    public boolean beginsWithValue() {
        return text.startsWith("{") && !text.startsWith("{{");
    }

    /** Returns the argument. @param values returns the value of what stands in braces */
    public String fill(Function<String, String> values) {
        StringBuilder filled = new StringBuilder();
        Matcher parts = PART.matcher(text);
        while (parts.find()) {
            String part = parts.group();
            if (parts.group(1) != null) {
                filled.append(values.apply(parts.group(1)));
            } else {
                filled.append(part.equals("{{") ? "{" : part.equals("}}") ? "}" : part);
            }
        }
        return filled.toString();
    }
}
