package dev.tandem.server.settings;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.io.FileSystemResource;
import org.yaml.snakeyaml.error.MarkedYAMLException;

/**
 * Finds the settings files that are not valid YAML or properties. Spring Boot stops at the first one, and does not say
 * which one it is.
 */
public final class BrokenFiles {

    private BrokenFiles() {}

    /**
     * Returns a sentence about each file that cannot be read, with the line.
     *
     * @param given the files that the command line names
     * @param folder the working folder, in which Spring Boot looks for more of them
     */
    public static List<String> problems(List<Path> given, Path folder) {
        List<String> problems = new ArrayList<>();
        Stream.of(given, usual(folder), usual(folder.resolve("config")))
                .flatMap(List::stream)
                .distinct()
                .map(BrokenFiles::problem)
                .filter(problem -> problem != null)
                .forEach(problems::add);
        return problems;
    }

    private static List<Path> usual(Path folder) {
        return Stream.of("application.yml", "application.yaml", "application.properties")
                .map(folder::resolve)
                .filter(Files::isRegularFile)
                .toList();
    }

    private static @Nullable String problem(Path file) {
        PropertySourceLoader loader = file.toString().endsWith(".properties")
                ? new PropertiesPropertySourceLoader()
                : new YamlPropertySourceLoader();
        try {
            loader.load(file.toString(), new FileSystemResource(file));
            return null;
        } catch (MarkedYAMLException e) {
            return YamlMistake.describe("The settings file " + file.getFileName(), e);
        } catch (IOException | RuntimeException e) {
            // Messages of these are about characters, not about values.
            String reason = isCoding(e) ? "it is not in UTF-8" : firstLine(e.getMessage());
            return "The settings file " + file.getFileName() + " can't be read: " + reason;
        }
    }

    private static boolean isCoding(@Nullable Throwable failure) {
        return failure != null && (failure instanceof CharacterCodingException || isCoding(failure.getCause()));
    }

    private static String firstLine(@Nullable String text) {
        return text == null || text.isBlank()
                ? "it is damaged"
                : text.lines().findFirst().orElse("");
    }
}
