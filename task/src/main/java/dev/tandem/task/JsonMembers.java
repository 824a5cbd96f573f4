package dev.tandem.task;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads the members of a JSON object (RFC 8259), each with the text of its value as it was written. The whole text is checked.
 * Used once, by one thread.
 */
final class JsonMembers {

    /** Deeper nesting is refused, so that no text makes the reader run out of stack. */
    private static final int MAX_DEPTH = 200;

    /** Says where the text is no JSON object. */
    static final class MalformedException extends RuntimeException {
        MalformedException(String message) {
            super(message, null, false, false);
        }
    }

    private final String json;
    private int at;

    private JsonMembers(String json) {
        this.json = json;
    }

    /**
     * Returns the members in their order. Of members with the same name the last one counts.
     *
     * @throws MalformedException if the text is no JSON object
     */
    static Map<String, String> of(String json) {
        JsonMembers reader = new JsonMembers(json);
        reader.skipSpace();
        Map<String, String> members = reader.members();
        reader.skipSpace();
        if (reader.at < json.length()) {
            throw reader.malformed();
        }
        return members;
    }

    /** Whether the text of a value is that of a string. */
    static boolean isText(String value) {
        return value.charAt(0) == '"';
    }

    /**
     * Returns the text that a string's value stands for.
     *
     * @throws MalformedException if it has half of a surrogate pair
     */
    static String text(String value) {
        return wellFormed(new JsonMembers(value).string());
    }

    private static String wellFormed(String text) {
        if (Utf8.hasLoneSurrogate(text)) {
            throw new MalformedException("one of its texts has half of a surrogate pair");
        }
        return text;
    }

    private Map<String, String> members() {
        Map<String, String> members = new LinkedHashMap<>();
        expect('{');
        skipSpace();
        if (peek() == '}') {
            at++;
            return members;
        }
        while (true) {
            skipSpace();
            String name = wellFormed(string());
            skipSpace();
            expect(':');
            skipSpace();
            int from = at;
            value(1);
            members.put(name, json.substring(from, at));
            skipSpace();
            if (peek() == '}') {
                at++;
                return members;
            }
            expect(',');
        }
    }

    private void value(int depth) {
        if (depth > MAX_DEPTH) {
            throw new MalformedException("it is nested in more than " + MAX_DEPTH + " levels");
        }
        switch (peek()) {
            case '{' -> items('}', depth);
            case '[' -> items(']', depth);
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
    }

    /** Passes an object or an array. */
    private void items(char end, int depth) {
        at++;
        skipSpace();
        if (peek() == end) {
            at++;
            return;
        }
        while (true) {
            skipSpace();
            if (end == '}') {
                string();
                skipSpace();
                expect(':');
                skipSpace();
            }
            value(depth + 1);
            skipSpace();
            if (peek() == end) {
                at++;
                return;
            }
            expect(',');
        }
    }

    private String string() {
        expect('"');
        StringBuilder text = new StringBuilder();
        while (true) {
            char c = next();
            if (c == '"') {
                return text.toString();
            } else if (c < ' ') {
                throw malformed();
            }
            text.append(c == '\\' ? escaped() : c);
        }
    }

    private char escaped() {
        char c = next();
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unicode();
            default -> throw malformed();
        };
    }

    private char unicode() {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(next(), 16);
            if (digit < 0) {
                throw malformed();
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private void number() {
        if (peek() == '-') {
            at++;
        }
        if (peek() == '0') {
            at++;
        } else {
            digits();
        }
        if (peek() == '.') {
            at++;
            digits();
        }
        if (peek() == 'e' || peek() == 'E') {
            at++;
            if (peek() == '+' || peek() == '-') {
                at++;
            }
            digits();
        }
    }

    private void digits() {
        int from = at;
        while (peek() >= '0' && peek() <= '9') {
            at++;
        }
        if (at == from) {
            throw malformed();
        }
    }

    private void word(String word) {
        if (!json.startsWith(word, at)) {
            throw malformed();
        }
        at += word.length();
    }

    private void skipSpace() {
        while (peek() == ' ' || peek() == '\n' || peek() == '\r' || peek() == '\t') {
            at++;
        }
    }

    private void expect(char c) {
        if (peek() != c) {
            throw malformed();
        }
        at++;
    }

    private char next() {
        if (at >= json.length()) {
            throw malformed();
        }
        return json.charAt(at++);
    }

    /** Returns the next character, or a control character that JSON does not allow if there is none. */
    private char peek() {
        return at < json.length() ? json.charAt(at) : '\0';
    }

    private MalformedException malformed() {
        return new MalformedException(
                at >= json.length() ? "it ends too early" : "it is no JSON object at its character " + (at + 1));
    }
}
