package dev.tandem.server.console;

/**
 * Lays JSON out for people: an entry a line. Numbers and strings stay as they were written, which a parsed value would not.
 */
final class JsonLayout {

    /** The most characters that are shown. */
    static final int MAX = 64 * 1024;

    /** Deeper values are not moved further in: otherwise a deep value would grow with the square of its size. */
    private static final int MAX_DEPTH = 20;

    private final String json;
    private final StringBuilder out = new StringBuilder();
    private int depth;

    private JsonLayout(String json) {
        this.json = json;
    }

    /** Returns a value of JSON, with an ellipsis at its end if it is longer than {@link #MAX}. */
    static String of(String json) {
        return new JsonLayout(json).laidOut();
    }

    /** Returns the beginning of a text, as for JSON. */
    static String cut(String text) {
        return text.length() <= MAX ? text : text.substring(0, MAX) + "…";
    }

    private String laidOut() {
        int at = 0;
        while (at < json.length() && out.length() <= MAX) {
            char c = json.charAt(at);
            if (c == '"') {
                int end = endOfString(at);
                out.append(json, at, end);
                at = end;
            } else {
                structure(c, at);
                at++;
            }
        }
        return cut(out.toString());
    }

    private int endOfString(int start) {
        int at = start + 1;
        while (at < json.length() && json.charAt(at) != '"') {
            at += json.charAt(at) == '\\' ? 2 : 1;
        }
        return Math.min(json.length(), at + 1);
    }

    private void structure(char c, int at) {
        switch (c) {
            case '{', '[' -> {
                out.append(c);
                depth++;
                if (!isClosing(nextOf(at))) {
                    newLine();
                }
            }
            case '}', ']' -> {
                depth--;
                char last = out.isEmpty() ? ' ' : out.charAt(out.length() - 1);
                if (last != '{' && last != '[') {
                    newLine();
                }
                out.append(c);
            }
            case ',' -> {
                out.append(c);
                newLine();
            }
            case ':' -> out.append(": ");
            case ' ', '\t', '\n', '\r' -> {}
            default -> out.append(c);
        }
    }

    private char nextOf(int at) {
        int next = at + 1;
        while (next < json.length() && Character.isWhitespace(json.charAt(next))) {
            next++;
        }
        return next < json.length() ? json.charAt(next) : ' ';
    }

    private static boolean isClosing(char c) {
        return c == '}' || c == ']';
    }

    private void newLine() {
        out.append('\n').append("  ".repeat(Math.max(0, Math.min(depth, MAX_DEPTH))));
    }
}
