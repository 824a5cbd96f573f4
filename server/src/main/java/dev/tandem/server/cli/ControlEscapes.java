package dev.tandem.server.cli;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes JSON with escapes for the control characters that JSON leaves as they are, but a terminal would obey: DEL, U+0080 to U+009F,
 * and those that change the direction of text. Programs read the same.
 */
final class ControlEscapes extends FilterWriter {

    ControlEscapes(Writer out) {
        super(out);
    }

    /** Returns JSON in which no terminal finds anything to obey. */
    static String of(String json) {
        StringBuilder escaped = new StringBuilder(json.length());
        for (int at = 0; at < json.length(); at++) {
            append(escaped, json.charAt(at));
        }
        return escaped.toString();
    }

    /** Whether a character is no text. @param letter no half of a pair */
    static boolean isControl(char letter) {
        return letter >= 0x7f && letter <= 0x9f || letter > 0x9f && isFormat(Character.getType(letter));
    }

    private static boolean isFormat(int type) {
        return type == Character.FORMAT || type == Character.LINE_SEPARATOR || type == Character.PARAGRAPH_SEPARATOR;
    }

    private static void append(StringBuilder into, char letter) {
        if (isControl(letter)) {
            into.append(String.format("\\u%04x", (int) letter));
        } else {
            into.append(letter);
        }
    }

    @Override
    public void write(int letter) throws IOException {
        write(String.valueOf((char) letter));
    }

    @Override
    public void write(char[] text, int from, int length) throws IOException {
        write(new String(text, from, length));
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
        out.write(of(text.substring(from, from + length)));
    }
}
