package dev.tandem.server.settings;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/** Says where a text is not valid YAML, and what to do. Does not quote the text, for it may hold secrets. */
final class YamlMistake {

    private YamlMistake() {}

    /** Returns a sentence. @param subject such as {@code A settings file} */
    static String describe(String subject, MarkedYAMLException failure) {
        // The library takes each character that may not stand there for an attempt to indent.
        String problem = String.valueOf(failure.getProblem())
                .replaceFirst("\\. \\(Do not use .*", "")
                .strip();
        Mark mark = mark(failure, problem);
        String place = mark == null ? "" : " at line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1);
        return subject + " can't be read" + place + ": " + problem + advice(problem);
    }

    /** A key without its colon is noticed only behind it. */
    private static @Nullable Mark mark(MarkedYAMLException failure, String problem) {
        return problem.contains("could not find expected ':'") && failure.getContextMark() != null
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
        if (problem.contains("could not find expected ':'")) {
            return " (write a name, a colon and a space)";
        }
        if (problem.contains("cannot start any token")) {
            return problem.contains("TAB") ? " (indent with spaces)" : " (write the value in quotes)";
        }
        return "";
    }
}
