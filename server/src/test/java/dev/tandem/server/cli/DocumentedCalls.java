package dev.tandem.server.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The calls of {@code ./tandem} that pages of the documentation show. */
public final class DocumentedCalls {

    private static final Path ROOT = Path.of("..");

    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```(?:sh|bash|console)$(.*?)^ *```$");
    private static final Pattern SPAN = Pattern.compile("`(\\./tandem [^`]+)`");
    private static final Pattern ANY_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```$");

    /** A call up to what ends it for the shell. Quoted words may have anything in them. */
    private static final Pattern CALL = Pattern.compile("\\./tandem((?: +(?:'[^']*'|\"[^\"]*\"|[^\\s'\"|;&#>)]+))*)");

    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");

    /** A call in a page. @param whole whether it is meant to be typed as it is */
    public record Call(Path page, String text, boolean whole) {

        public String[] words() {
            return WORD.matcher(text).results().map(Call::word).toArray(String[]::new);
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

    private DocumentedCalls() {}

    /** Returns the pages for users and developers. */
    public static List<Path> allPages() throws IOException {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")), docs)
                    .filter(page -> page.toString().endsWith(".md"))
                    .toList();
        }
    }

    /** Returns the calls in blocks of commands, and those in sentences. */
    public static Stream<Call> in(List<Path> pages) throws IOException {
        List<Call> calls = new ArrayList<>();
        for (Path page : pages) {
            String text = Files.readString(page);
            BLOCK.matcher(text)
                    .results()
                    .forEach(block -> add(calls, page, block.group(1).replace("\\\n", " "), true));
            SPAN.matcher(ANY_BLOCK.matcher(text).replaceAll(""))
                    .results()
                    .map(span -> span.group(1).replaceAll("\\s+", " "))
                    .filter(span -> !span.contains("…") && !span.contains("..."))
                    .forEach(span -> add(calls, page, span, false));
        }
        return calls.stream();
    }

    private static void add(List<Call> calls, Path page, String text, boolean whole) {
        text.lines()
                .filter(line -> !line.strip().startsWith("#"))
                .flatMap(line -> CALL.matcher(line).results())
                .forEach(call -> calls.add(new Call(page, call.group(1).strip(), whole)));
    }
}
