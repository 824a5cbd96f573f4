package dev.tandem.server.words;

import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Puts sentences into one language. Immutable. */
public final class Wordbook {

    /** The separator of two texts of other programs in one. */
    private static final String BETWEEN = "; ";

    /** Nobody reads longer ones. */
    private static final int MOST_QUOTED = 10_000;

    /** How often a known text may have a known one in itself. */
    private static final int DEEPEST = 4;

    private static final Map<Language, Texts> TEXTS = Texts.all("dev.tandem.server.words.words");
    private static final Map<Language, Wordbook> ALL = new EnumMap<>(Language.class);

    static {
        for (Language language : Language.values()) {
            ALL.put(language, new Wordbook(language));
        }
    }

    private final Language language;
    private final Texts texts;
    private final Map<QuoteKind, List<KnownText>> known = new EnumMap<>(QuoteKind.class);

    private Wordbook(Language language) {
        this.language = language;
        this.texts = texts(language);
        Texts english = texts(Language.EN);
        for (QuoteKind kind : QuoteKind.values()) {
            // The one with the most words of its own comes first: others may fit too, with more in their places.
            known.put(
                    kind,
                    kind.begins().stream()
                            .flatMap(begin -> english.keys(begin).stream())
                            .map(key -> KnownText.of(key, english.raw(key)))
                            .sorted(Comparator.comparingInt(KnownText::ownLength)
                                    .reversed())
                            .toList());
        }
    }

    /** Returns all texts of a language. */
    static Texts texts(Language language) {
        return Optional.ofNullable(TEXTS.get(language)).orElseThrow();
    }

    /** Returns the one of a language. */
    public static Wordbook in(Language language) {
        return Optional.ofNullable(ALL.get(language)).orElseThrow();
    }

    /** Returns a sentence in this language. */
    public String say(Sentence sentence) {
        if (sentence instanceof Sentence.Quote quote) {
            return said(quote.kind(), quote.text());
        }
        Sentence.Message message = (Sentence.Message) sentence;
        Object[] values = message.values().stream()
                .map(value -> value instanceof Sentence part ? say(part) : value)
                .toArray();
        return texts.get(message.key(), values);
    }

    /** Returns the language in which {@link #say} has a sentence: English if it is a text that is not known. */
    public Language languageOf(Sentence sentence) {
        return sentence instanceof Sentence.Quote quote
                        && said(quote.kind(), quote.text()).equals(quote.text())
                ? Language.EN
                : language;
    }

    /** Returns in this language what another program said in English; unchanged if it is not known. */
    public String said(QuoteKind kind, String english) {
        boolean stays = language == Language.EN || english.isEmpty() || english.length() > MOST_QUOTED;
        return stays ? english : said(Optional.ofNullable(known.get(kind)).orElseThrow(), english, 0);
    }

    private String said(List<KnownText> all, String english, int depth) {
        if (depth == DEEPEST) {
            return english;
        }
        Optional<String> whole = one(all, english, depth);
        if (whole.isPresent() || !english.contains(BETWEEN)) {
            return whole.orElse(english);
        }
        List<Optional<String>> parts = Stream.of(english.split(BETWEEN, -1))
                .map(part -> one(all, part, depth))
                .toList();
        return parts.stream().allMatch(Optional::isPresent)
                ? parts.stream().flatMap(Optional::stream).collect(Collectors.joining(texts.get("between")))
                : english;
    }

    private Optional<String> one(List<KnownText> all, String english, int depth) {
        for (KnownText text : all) {
            Optional<List<String>> values = text.values(english);
            if (values.isPresent()) {
                Object[] parts = values.get().stream()
                        .map(value -> said(all, value, depth + 1))
                        .toArray();
                return Optional.of(texts.get(text.key(), parts));
            }
        }
        return Optional.empty();
    }
}
