package dev.tandem.scheduler;

import dev.tandem.task.TaskState;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Checks and encodes the cursors of lists. A cursor comes back from a client, which may have made it up, so it is checked
 * before a script sees it. Its form depends on what is listed:
 *
 * <ul>
 *   <li>parked tasks: a member of {@code lanes};
 *   <li>active tasks: the cursor of a scan, a blank and {@code !}; within a piece of the scan also the cursor of its end, a
 *       blank and a position. Earlier versions wrote the cursor of the scan, a blank and a position;
 *   <li>far-off scheduled tasks: {@code later}, a blank, and minute, list and entry, separated by colons;
 *   <li>tasks that succeeded: {@code page}, a blank, and a place that {@link SuccessFinder} describes;
 *   <li>all others: a score, a blank and a position.
 * </ul>
 */
final class TaskCursor {

    private static final int MAX_LENGTH = 4_096;
    private static final int MAX_SHOWN = 60;

    private static final String POSITION = "[\\x21-\\x7e]{1,64}";
    private static final Pattern SORTED = Pattern.compile("-?\\d{1,20}(\\.\\d{1,20})?(e[+-]?\\d{1,2})? " + POSITION);
    private static final Pattern SCANNED = Pattern.compile("(\\d{1,20}) (?:!(\\d{1,20}) )?" + POSITION);
    private static final Pattern FAR_OFF = Pattern.compile("later \\d{1,12}:\\d{1,9}:\\d{1,6}");

    private TaskCursor() {}

    /**
     * Returns what a script gets for a cursor of this state.
     *
     * @throws IllegalArgumentException if no page of this state can have returned it
     */
    static byte[] decode(TaskState state, @Nullable String cursor) {
        if (cursor == null) {
            return new byte[0];
        }
        byte[] bytes = decode(cursor);
        boolean known;
        if (state == TaskState.PARKED) {
            known = isLaneMember(bytes);
        } else if (state == TaskState.ACTIVE) {
            Matcher scanned = SCANNED.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
            known = scanned.matches();
            if (known) {
                requireScan(scanned.group(1));
                if (scanned.group(2) != null) {
                    requireScan(scanned.group(2));
                }
            }
        } else {
            String text = new String(bytes, StandardCharsets.ISO_8859_1);
            known = SORTED.matcher(text).matches()
                    || state == TaskState.SCHEDULED && FAR_OFF.matcher(text).matches()
                    || SuccessFinder.endOf(state) != null
                            && SuccessFinder.CURSOR.matcher(text).matches();
        }
        if (!known) {
            throw unknown(cursor);
        }
        return bytes;
    }

    /** @throws IllegalArgumentException if this is no cursor of scheduled or retried tasks; it quotes the whole cursor */
    static void require(String inner, boolean farOff, String cursor) {
        if (!(farOff ? FAR_OFF : SORTED).matcher(inner).matches()) {
            throw unknown(cursor);
        }
    }

    /** @throws IllegalArgumentException if the cursor is too long, or is not encoded like one */
    static byte[] decode(String cursor) {
        try {
            if (cursor.length() <= MAX_LENGTH) {
                return Base64.getUrlDecoder().decode(cursor);
            }
        } catch (IllegalArgumentException e) {
            // Reported below.
        }
        throw unknown(cursor);
    }

    static String encode(byte[] cursor) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor);
    }

    /** @throws IllegalArgumentException if Redis cannot have returned this text as the cursor of a scan */
    static String requireScan(String cursor) {
        try {
            return Long.toUnsignedString(Long.parseUnsignedLong(cursor));
        } catch (NumberFormatException e) {
            throw unknown(cursor);
        }
    }

    /** Says that no page returned this cursor. */
    static IllegalArgumentException unknown(String cursor) {
        String printable = cursor.replaceAll("[^\\x20-\\x7e]", "?");
        String shown = printable.length() > MAX_SHOWN ? printable.substring(0, MAX_SHOWN) + "…" : printable;
        return new IllegalArgumentException(
                "The cursor '" + shown + "' is not one that a page returned: leave it out for the first page");
    }

    private static boolean isLaneMember(byte[] bytes) {
        int keyLength =
                bytes.length < Integer.BYTES ? -1 : ByteBuffer.wrap(bytes).getInt();
        int positionAt = Integer.BYTES + keyLength + Long.BYTES;
        return keyLength >= 0
                && keyLength <= MAX_LENGTH
                && bytes.length > positionAt
                && new String(bytes, positionAt, bytes.length - positionAt, StandardCharsets.ISO_8859_1)
                        .matches(POSITION);
    }
}
