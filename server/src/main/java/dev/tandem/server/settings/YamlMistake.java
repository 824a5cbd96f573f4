package dev.tandem.server.settings;

import java.nio.charset.CharacterCodingException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.reader.ReaderException;

/**
 * Says where a text is not valid YAML, and what to do. Does not quote the text, for it may hold secrets: of the library's
 * messages only those are shown that are known, without the words of the text at their ends.
 */
final class YamlMistake {

    /** Messages that show nothing of the text but the name of a setting, one character, or the kind of a token. */
    private static final Pattern KNOWN = Pattern.compile("mapping values are not allowed here"
            + "|mapping keys are not allowed here"
            + "|sequence entries are not allowed here"
            + "|could not find expected ':'"
            + "|expected <block end>, but found '(<[a-z ]+>|.)'"
            + "|expected ',' or '[]}]', but got (<[a-z ]+>|.)"
            + "|expected the node content, but found '(<[a-z ]+>|.)'"
            + "|found character '.{1,10}' that cannot start any token"
            + "|found duplicate key [A-Za-z0-9._\\[\\]-]+$"
            + "|found duplicate key"
            + "|found unexpected end of stream"
            + "|found unexpected document separator"
            + "|found unknown escape character"
            + "|found undefined alias"
            + "|found undefined tag handle"
            + "|could not determine a constructor for the tag");

    /** Messages about limits of the library, which have numbers only. */
    private static final Pattern LIMIT =
            Pattern.compile("The incoming YAML document exceeds the limit: \\d+ code points"
                    + "|Number of aliases for non-scalar nodes exceeds the specified max=\\d+"
                    + "|Nesting Depth exceeded max \\d+");

    private static final String UNKNOWN = "it is not valid YAML";

    private YamlMistake() {}

    /**
     * Returns a sentence.
     *
     * @param subject such as {@code A settings file}
     * @param failure any failure of reading YAML
     */
    static String describe(String subject, Throwable failure) {
        if (failure instanceof MarkedYAMLException marked) {
            String problem = first(KNOWN, marked.getProblem());
            Mark mark = mark(marked, problem);
            String place =
                    mark == null ? "" : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
            return subject + " can't be read" + place + ": " + problem + advice(problem);
        }
        return subject + " can't be read: " + reason(failure);
    }

    private static String reason(Throwable failure) {
        if (isCoding(failure)) {
            return "it is not in UTF-8";
        }
        if (failure instanceof ReaderException) {
            return "it has a character that YAML does not allow";
        }
        return failure instanceof YAMLException ? first(LIMIT, failure.getMessage()) : UNKNOWN;
    }

    static boolean isCoding(@Nullable Throwable failure) {
        return failure != null && (failure instanceof CharacterCodingException || isCoding(failure.getCause()));
    }

    /** Returns the beginning of a message that is known. */
    private static String first(Pattern known, @Nullable String message) {
        Matcher matcher = known.matcher(message == null ? "" : message);
        return matcher.lookingAt() ? matcher.group() : UNKNOWN;
    }

    /** A key without its colon is noticed only behind it. */
    private static @Nullable Mark mark(MarkedYAMLException failure, String problem) {
        return problem.startsWith("could not find expected ':'") && failure.getContextMark() != null
                ? failure.getContextMark()
                : failure.getProblemMark();
    }

    private static String advice(String problem) {
        if (problem.startsWith("mapping values are not allowed")) {
            return " (indent the line as those beside it, or write a value that has a colon in quotes)";
        }
        if (problem.startsWith("expected <block end>")) {
            return " (indent the line as those beside it)";
        }
        if (problem.startsWith("could not find expected ':'")) {
            return " (write a name, a colon and a space)";
        }
        if (problem.endsWith("cannot start any token")) {
            return problem.contains("TAB") ? " (indent with spaces)" : " (write the value in quotes)";
        }
        if (problem.startsWith("found undefined") || problem.startsWith("could not determine a constructor")) {
            return " (write a value that begins with * or ! in quotes)";
        }
        return problem.startsWith("found unknown escape") ? " (write the value in single quotes)" : "";
    }
}
