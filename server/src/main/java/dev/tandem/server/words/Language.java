package dev.tandem.server.words;

import java.util.Locale;
import java.util.Optional;

/** A language of the server. */
public enum Language {
    EN(Locale.ENGLISH, "English"),
    ZH(Locale.SIMPLIFIED_CHINESE, "中文");

    private final Locale locale;
    private final String itsName;

    Language(Locale locale, String itsName) {
        this.locale = locale;
        this.itsName = itsName;
    }

    public Locale locale() {
        return locale;
    }

    /** Returns the code for HTML, such as {@code en}. */
    public String code() {
        return locale.getLanguage();
    }

    /** Returns the name of the language in itself. */
    public String itsName() {
        return itsName;
    }

    /** Returns the language with a code; empty if there is none. */
    public static Optional<Language> withCode(String code) {
        for (Language language : values()) {
            if (language.code().equals(code)) {
                return Optional.of(language);
            }
        }
        return Optional.empty();
    }
}
