package dev.tandem.client;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.task.LogText;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Checks the texts of a task, in the words of the API. */
final class TaskText {

    private static final int MAX_SHOWN = 80;

    private TaskText() {}

    /**
     * Checks one text.
     *
     * @param what the name that the API has for it
     * @param text null if the task has none
     * @throws InvalidTaskException if it is empty, too long, or cannot be carried as it is
     */
    static void check(String what, @Nullable String text, int maxBytes) {
        if (text == null) {
            return;
        }
        if (text.isEmpty()) {
            throw new InvalidTaskException("The task's " + what + " is empty: give a text, or null for none");
        }
        if (text.length() <= maxBytes && TaskHeaders.isPrintableAscii(text)) {
            return;
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw new InvalidTaskException(String.format(
                        Locale.ROOT,
                        "The task's %s '%s' has the control character U+%04X at index %d: leave it out",
                        what,
                        shown(text),
                        (int) text.charAt(i),
                        i));
            }
        }
        int bytes = bytes(what, text);
        if (bytes > maxBytes) {
            throw new InvalidTaskException(
                    "The task's " + what + " has " + bytes + " bytes: at most " + maxBytes + " are allowed");
        }
    }

    /** @throws InvalidTaskException if a name or a value cannot be carried as it is */
    static void checkHeaders(Map<String, String> headers) {
        if (headers.isEmpty()) {
            return;
        }
        headers.forEach((name, value) -> {
            check("header name", name, TaskHeaders.MAX_HEADER_BYTES);
            if (name.endsWith(TaskHeaders.LATIN1)) {
                throw new InvalidTaskException("The header '" + shown(name) + "' ends with " + TaskHeaders.LATIN1
                        + ", which marks headers that are no text: choose another name");
            }
            if (value == null) {
                throw new InvalidTaskException(
                        "The header '" + shown(name) + "' has no value: give one, or leave it out");
            }
            int unused = bytes("header '" + shown(name) + "'", value);
        });
    }

    private static int bytes(String what, String text) {
        int high = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                high++;
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (Character.isSurrogate(c) && !pair) {
                    throw new InvalidTaskException("The task's " + what + " has half of a surrogate pair at index " + i
                            + ": it is no text that can be sent");
                }
                i += pair ? 1 : 0;
            }
        }
        return high == 0 ? text.length() : text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String shown(String text) {
        return LogText.oneLine(text, MAX_SHOWN);
    }
}
