package dev.tandem.api;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks the texts of a task: what every {@link TaskClient} must refuse at once, because no executor could ever read it. For
 * those who write a client; others need not call it.
 */
public final class TaskTexts {

    /** The longest key, in bytes of UTF-8. */
    public static final int MAX_KEY = 1024;

    /** The longest id and the longest deduplication key, in bytes of UTF-8. */
    public static final int MAX_ID = 512;

    /** The longest type, in bytes of UTF-8. */
    public static final int MAX_TYPE = 200;

    /** The most headers. A message has up to 256, of which some are Tandem's own. */
    public static final int MAX_HEADERS = 240;

    /** The most bytes of the names and values of all headers. A message has up to 64 KiB, those of Tandem's own included. */
    public static final int MAX_HEADER_BYTES = 60 * 1024;

    private static final String LATIN1 = ";latin1";

    private static final int MAX_SHOWN = 80;

    private TaskTexts() {}

    /** @throws InvalidTaskException if a text of the task cannot be carried as it is; the message says what to do */
    public static void check(TaskRequest<?> task) {
        TaskOptions options = task.options();
        check("type", task.type(), MAX_TYPE);
        check("key", task.key(), MAX_KEY);
        check("id", options.id(), MAX_ID);
        check("dedupKey", options.dedupKey(), MAX_ID);
        checkHeaders(options.headers());
        Dependencies.check(task);
    }

    /**
     * Checks one text.
     *
     * @param what the name that the API has for it
     * @param text null if the task has none
     * @throws InvalidTaskException if it is empty, too long, or cannot be carried as it is
     */
    private static void check(String what, @Nullable String text, int maxBytes) {
        if (text == null) {
            return;
        }
        if (text.isEmpty()) {
            throw new InvalidTaskException("The task's " + what + " is empty: give a text, or null for none");
        }
        if (text.length() <= maxBytes && isPrintableAscii(text)) {
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

    private static void checkHeaders(Map<String, String> headers) {
        if (headers.size() > MAX_HEADERS) {
            throw new InvalidTaskException(
                    "The task has " + headers.size() + " headers: at most " + MAX_HEADERS + " are allowed");
        }
        int all = 0;
        for (Map.Entry<String, String> each : headers.entrySet()) {
            all += checkHeader(each.getKey(), each.getValue());
        }
        if (all > MAX_HEADER_BYTES) {
            throw new InvalidTaskException("The task's headers have " + all
                    + " bytes, names and values together: at most " + MAX_HEADER_BYTES + " are allowed");
        }
    }

    /** Returns how many bytes a header has. */
    private static int checkHeader(String name, @Nullable String value) {
        check("header name", name, MAX_HEADER_BYTES);
        if (name.endsWith(LATIN1)) {
            throw new InvalidTaskException("The header '" + shown(name) + "' ends with " + LATIN1
                    + ", which marks headers that are no text: choose another name");
        }
        if (value == null) {
            throw new InvalidTaskException("The header '" + shown(name) + "' has no value: give one, or leave it out");
        }
        int valueBytes = bytes("header '" + shown(name) + "'", value);
        if (valueBytes > MAX_HEADER_BYTES) { // or else a sum could overflow
            throw new InvalidTaskException("The task's header '" + shown(name) + "' has " + valueBytes
                    + " bytes: at most " + MAX_HEADER_BYTES + " are allowed");
        }
        return bytes("header name", name) + valueBytes;
    }

    private static boolean isPrintableAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                return false;
            }
        }
        return true;
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

    /** Returns the beginning of a text as one line. */
    private static String shown(String text) {
        StringBuilder line = new StringBuilder();
        text.codePoints()
                .limit(MAX_SHOWN)
                .map(each ->
                        Character.isISOControl(each) || Character.getType(each) == Character.SURROGATE ? '?' : each)
                .forEach(line::appendCodePoint);
        return line + (line.length() < text.length() ? "..." : "");
    }
}
