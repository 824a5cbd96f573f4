package dev.tandem.server.console;

import dev.tandem.server.words.Language;
import dev.tandem.server.words.Texts;
import java.util.Map;
import java.util.Optional;

/** The texts that the pages have beside what the server says: headings, buttons and the words of states. */
final class PageTexts {

    private static final Map<Language, Texts> ALL = Texts.all("dev.tandem.server.console.texts");

    private PageTexts() {}

    static Texts in(Language language) {
        return Optional.ofNullable(ALL.get(language)).orElseThrow();
    }
}
