package dev.tandem.server.settings;

import java.io.IOException;
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
        } catch (IOException e) {
            return subject(file) + " can't be read: " + (YamlMistake.isCoding(e) ? "it is not in UTF-8" : reason(e));
        } catch (RuntimeException e) {
            // Their messages may quote values.
            return loader instanceof YamlPropertySourceLoader
                    ? YamlMistake.describe(subject(file), e)
                    : subject(file) + " can't be read: "
                            + (YamlMistake.isCoding(e) ? "it is not in UTF-8" : "it is not a valid properties file");
        }
    }

    private static String subject(Path file) {
        return "The settings file " + file.getFileName();
    }

    /** Returns what the file system says, which knows nothing of the text. */
    private static String reason(IOException failure) {
        String message = failure.getMessage();
        return message == null ? "it is damaged" : message.lines().findFirst().orElse("");
    }
}
