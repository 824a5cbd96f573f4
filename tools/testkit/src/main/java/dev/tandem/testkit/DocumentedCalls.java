package dev.tandem.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds the calls of {@code ./tandem} that pages of the documentation show, in blocks and in sentences. */
public final class DocumentedCalls {

    private static final String SCRIPT = "./tandem";

    private static final Pattern SPAN = Pattern.compile("`(\\./tandem [^`]+)`");
    private static final Pattern ANY_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");

    /** A call up to what ends it for the shell. Quoted words may have anything in them. */
    private static final Pattern CALL = Pattern.compile("\\./tandem((?: +(?:'[^']*'|\"[^\"]*\"|[^\\s'\"|;&#>)]+))*)");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    /**
     * A call in a page.
     *
     * @param words the command and its arguments
     * @param whole whether it is meant to be typed as it is
     */
    public record Call(String page, List<String> words, boolean whole) {

        /** Returns the command, or nothing if there is none. */
        public String command() {
            return words.isEmpty() ? "" : words.get(0);
        }

        public String[] arguments() {
            return words.stream().skip(1).toArray(String[]::new);
        }

        @Override
        public String toString() {
            return page + ": ./tandem " + String.join(" ", words);
        }
    }

    private DocumentedCalls() {}

    /** Returns the calls of all pages. */
    public static Stream<Call> all() {
        return Stream.concat(
                ShellCalls.all().stream()
                        .filter(call -> call.program().equals(SCRIPT))
                        .map(call -> new Call(call.block().page(), call.arguments(), true)),
                DocumentedBlocks.pages().stream().flatMap(DocumentedCalls::inSentences));
    }

    /** Returns the calls of all pages of one of these commands. */
    public static Stream<Call> of(String... commands) {
        return all().filter(call -> List.of(commands).contains(call.command()));
    }

    private static Stream<Call> inSentences(Path page) {
        String text;
        try {
            text = Files.readString(page);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String name = DocumentedBlocks.root().relativize(page).toString();
        return SPAN.matcher(ANY_BLOCK.matcher(text).replaceAll(""))
                .results()
                .map(span -> span.group(1).replaceAll("\\s+", " "))
                .filter(span -> !span.contains("…") && !span.contains("..."))
                .flatMap(span -> CALL.matcher(span).results())
                .map(call -> new Call(name, words(call.group(1)), false));
    }

    private static List<String> words(String text) {
        return WORD.matcher(text).results().map(DocumentedCalls::word).toList();
    }

    private static String word(MatchResult found) {
        for (int group = 1; group <= 3; group++) {
            if (found.group(group) != null) {
                return found.group(group);
            }
        }
        throw new AssertionError(found);
    }
}
