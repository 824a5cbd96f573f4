package dev.tandem.server.words;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Finds English in Chinese texts: three words in a row. Names, settings, commands and routes are no English. */
public final class EnglishWords {

    private static final Pattern NAMES =
            Pattern.compile("`[^`]*`|“[^”]*”|\\./tandem( [a-z][a-z-]*)*|(GET|POST|DELETE) /\\S*");
    private static final Pattern RUN =
            Pattern.compile("(?<![\\w.-])(?:[A-Za-z][a-z']* +){2,}[A-Za-z][a-z']*(?![\\w.-]*[\\w-])");

    private EnglishWords() {}

    /** Returns what is English in a text. */
    public static List<String> in(String text) {
        return RUN.matcher(NAMES.matcher(text).replaceAll(" 、 "))
                .results()
                .map(MatchResult::group)
                .toList();
    }
}
