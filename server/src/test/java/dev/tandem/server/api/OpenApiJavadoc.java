package dev.tandem.server.api;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the comment of a record says, in the words of the API.
 *
 * @param text without its parameters
 * @param parameters by name
 */
record OpenApiJavadoc(String text, Map<String, String> parameters) {

    private static final List<Path> SOURCES =
            List.of(Path.of("src/main/java"), Path.of("../task/src/main/java"), Path.of("../runtime/src/main/java"));

    private static final Pattern LINK = Pattern.compile("\\{@link(?:plain)? [^ }]+ ([^}]+)}");
    private static final Pattern CODE = Pattern.compile("\\{@(?:code|link|linkplain)\\s+#?([^}]+)}");

    /** Returns nothing if the record has no comment. */
    static OpenApiJavadoc of(Class<?> record) {
        String source = source(record);
        Matcher declaration =
                Pattern.compile("\\brecord " + record.getSimpleName() + "\\(").matcher(source);
        if (!declaration.find()) {
            return new OpenApiJavadoc("", Map.of());
        }
        int end = source.lastIndexOf("*/", declaration.start());
        String between = end < 0 ? ";" : source.substring(end + 2, declaration.start());
        if (between.contains(";") || between.contains("}")) {
            return new OpenApiJavadoc("", Map.of());
        }
        String comment =
                source.substring(source.lastIndexOf("/**", end) + 3, end).replaceAll("(?m)^\\s*\\*", "");
        String[] parts = comment.split("@param\\s+");
        Map<String, String> parameters = new LinkedHashMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] nameAndText = parts[i].strip().split("\\s+", 2);
            parameters.put(nameAndText[0], words(nameAndText.length < 2 ? "" : nameAndText[1]));
        }
        return new OpenApiJavadoc(words(parts[0]), parameters);
    }

    private static String source(Class<?> record) {
        Class<?> top = record;
        while (top.getEnclosingClass() != null) {
            top = top.getEnclosingClass();
        }
        String file = top.getName().replace('.', '/') + ".java";
        return SOURCES.stream()
                .map(folder -> folder.resolve(file))
                .filter(Files::exists)
                .findFirst()
                .map(OpenApiJavadoc::read)
                .orElse("");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In JSON a null field is left out. */
    private static String words(String text) {
        String plain = LINK.matcher(text).replaceAll("$1");
        String coded = CODE.matcher(plain).replaceAll("`$1`");
        String line = coded.replaceAll("\\s+", " ").strip().replaceAll("\\bnull (if|in|for|on|while)\\b", "absent $1");
        if (line.isEmpty()) {
            return line;
        }
        String sentence = Character.toUpperCase(line.charAt(0)) + line.substring(1);
        return sentence.endsWith(".") ? sentence : sentence + ".";
    }

    @Nullable
    String parameter(String name) {
        return parameters.get(name);
    }
}
