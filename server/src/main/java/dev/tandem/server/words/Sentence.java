package dev.tandem.server.words;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.stream.Stream;

/** A sentence for people, or a part of one, before it is in a language. JSON has it in English. */
public sealed interface Sentence {

    /** Nothing, where another value would be a part of a sentence. */
    Sentence NOTHING = new Quote(QuoteKind.STATE, "");

    /**
     * A sentence of this server.
     *
     * @param key which text of {@link Wordbook} it is
     * @param values what the text has at its places: names, numbers and sentences
     */
    record Message(String key, List<Object> values) implements Sentence {
        @Override
        public String toString() {
            return english();
        }
    }

    /** A text of another program. In other languages it stays as it is, unless it is known. @param text in English */
    record Quote(QuoteKind kind, String text) implements Sentence {
        @Override
        public String toString() {
            return english();
        }
    }

    /** Returns a sentence of this server. @param key a text of {@link Wordbook} */
    static Sentence of(String key, Object... values) {
        return new Message(key, List.of(values));
    }

    /** Returns what another program said of a state. */
    static Sentence quote(String english) {
        return new Quote(QuoteKind.STATE, english);
    }

    /** Returns an error. */
    static Sentence error(String english) {
        return new Quote(QuoteKind.ERROR, english);
    }

    /** Returns what is wrong with a request: the detail or the remedy of a problem. */
    static Sentence problem(String english) {
        return new Quote(QuoteKind.PROBLEM, english);
    }

    /** Returns what the audit log has too. */
    static Sentence audited(String english) {
        return new Quote(QuoteKind.AUDIT, english);
    }

    /** Returns names as "a, b and c" in its languages: two of them are "a and b". */
    static Sentence and(List<String> names) {
        return and(names.stream().map(Sentence::quote));
    }

    /** Returns parts as "a, b and c" in its languages. */
    static Sentence and(Stream<Sentence> parts) {
        return joined("and", parts);
    }

    /** Returns parts as "a, b, c". */
    static Sentence listed(Stream<Sentence> parts) {
        return joined("comma", parts);
    }

    /** Returns sentences one behind the other. */
    static Sentence inARow(Stream<Sentence> sentences) {
        return joined("row", sentences);
    }

    private static Sentence joined(String key, Stream<Sentence> parts) {
        return parts.reduce((before, next) -> of(key, before, next)).orElse(NOTHING);
    }

    /** Returns the sentence in English. */
    @JsonValue
    default String english() {
        return Wordbook.in(Language.EN).say(this);
    }
}
