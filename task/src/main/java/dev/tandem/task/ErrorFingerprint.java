package dev.tandem.task;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells which errors are the same one, as far as that can be told: those of one type of tasks whose first lines differ only in what
 * differs from task to task. That is what is quoted, and words with digits: numbers, times, ids. The name of a class keeps its
 * digits, and so does a code behind {@code status}, {@code code} or {@code HTTP}.
 *
 * <p>{@code include/error_groups.lua} does the same, byte by byte, when a task dies.
 */
public final class ErrorFingerprint {

    /** Bytes of the first line that are compared. */
    private static final int MAX_COMPARED = 512;

    /** Bytes that are left of them when what differs is replaced. */
    private static final int MAX_COMMON = 200;

    private static final int LENGTH = 12;

    private static final Pattern FORM = Pattern.compile("[0-9a-f]{" + LENGTH + "}");

    /** The words that the last attempt and operators put before an error. */
    private static final List<Pattern> NOTES = List.of(
            Pattern.compile("^attempt [0-9]+ of [0-9]+ was the last: "),
            Pattern.compile("^(?:skipped|drained) by an operator(?: before its next attempt)?, after: "));

    private static final Pattern CLASS = Pattern.compile("([A-Za-z_$][0-9A-Za-z_$.]*+)(:.*+)?", Pattern.DOTALL);
    private static final Pattern NAME_OF_CLASS = Pattern.compile("(?:.*\\.)?[A-Z][^.]*+", Pattern.DOTALL);
    private static final Pattern DOUBLE_QUOTED = Pattern.compile("\"[^\"]*+(?:\"|$)", Pattern.DOTALL);
    private static final Pattern QUOTED = Pattern.compile("([^0-9A-Za-z])'[^']*+'");
    private static final Pattern UUID = Pattern.compile("[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}");
    private static final Pattern WORD_WITH_DIGIT = Pattern.compile("(?<![0-9A-Za-z])[A-Za-z]*+[0-9][0-9A-Za-z]*+");
    private static final List<String> CODE_WORDS = List.of("status ", "code ", "HTTP ");
    private static final Pattern CODE = Pattern.compile("[0-9]{1,3}");
    private static final Pattern NUMBERS = Pattern.compile("#[-.:,+/ #_]*#");

    private ErrorFingerprint() {}

    /** Returns the fingerprint of the last error of a task. */
    public static String of(Envelope envelope) {
        return of(envelope.task().type(), envelope.error());
    }

    /**
     * Returns the fingerprint of an error of a task: 12 hexadecimal digits.
     *
     * @param type null if the task names none
     * @param error null if there is none
     */
    public static String of(@Nullable String type, @Nullable String error) {
        String common = (type == null ? "" : asBytes(type)) + '\n' + common(error == null ? "" : asBytes(error));
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest(common.getBytes(StandardCharsets.ISO_8859_1));
            return HexFormat.of().formatHex(hash).substring(0, LENGTH);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns whether a text has the form of a fingerprint. */
    public static boolean isOne(String text) {
        return FORM.matcher(text).matches();
    }

    /** Returns the UTF-8 bytes of a text as characters, as the script sees them. */
    private static String asBytes(String text) {
        return new String(Utf8.bytes(text), StandardCharsets.ISO_8859_1);
    }

    private static String common(String error) {
        String line = withoutNotes(firstLine(error));
        String compared = cut(line, MAX_COMPARED);
        Matcher named = CLASS.matcher(compared);
        String name = named.matches() && isClass(named.group(1)) ? named.group(1) : "";
        return cut(name + inCommon(compared.substring(name.length())), MAX_COMMON);
    }

    private static String firstLine(String error) {
        int end = 0;
        while (end < error.length() && error.charAt(end) != '\n' && error.charAt(end) != '\r') {
            end++;
        }
        return error.substring(0, end);
    }

    private static String withoutNotes(String line) {
        String rest = line;
        for (int i = 0; i < NOTES.size(); i++) {
            Matcher note = NOTES.get(i).matcher(rest);
            if (note.lookingAt()) {
                rest = rest.substring(note.end());
                i = -1;
            }
        }
        return rest;
    }

    private static boolean isClass(String name) {
        return NAME_OF_CLASS.matcher(name).matches()
                && (name.indexOf('.') >= 0 || name.endsWith("Exception") || name.endsWith("Error"));
    }

    private static String inCommon(String rest) {
        String text = DOUBLE_QUOTED.matcher(' ' + rest).replaceAll("\1");
        text = QUOTED.matcher(text).replaceAll("$1\1");
        String before = UUID.matcher(text).replaceAll("#");
        text = WORD_WITH_DIGIT
                .matcher(before)
                .replaceAll(word -> isCode(word.group(), before, word.start()) ? word.group() : "#");
        return NUMBERS.matcher(text).replaceAll("#");
    }

    private static boolean isCode(String word, String text, int at) {
        return CODE.matcher(word).matches()
                && CODE_WORDS.stream().anyMatch(each -> text.startsWith(each, at - each.length()));
    }

    private static String cut(String text, int length) {
        return text.substring(0, Math.min(length, text.length()));
    }
}
