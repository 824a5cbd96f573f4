package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** All tests to which {@code docs/guarantees.md} refers exist in some module. */
class GuaranteesPageTest {

    private static final Path ROOT = Path.of("..");
    private static final Pattern REFERENCE = Pattern.compile("`(\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    @Test
    void theTestsToWhichThePageRefersExist() throws IOException {
        Map<String, String> sources = testSources();
        Matcher reference =
                REFERENCE.matcher(Files.readString(ROOT.resolve("docs").resolve("guarantees.md")));
        int references = 0;
        while (reference.find()) {
            String source = sources.get(reference.group(1));
            assertThat(source).as("the class of %s", reference.group()).isNotNull();
            if (reference.group(2) != null) {
                assertThat(source)
                        .as("the method of %s", reference.group())
                        .contains("void " + reference.group(2) + "(");
            }
            references++;
        }
        assertThat(references).isGreaterThan(30);
    }

    /** Returns the sources of all test classes by class name. */
    private static Map<String, String> testSources() throws IOException {
        Map<String, String> sources = new TreeMap<>();
        try (Stream<Path> modules = Files.find(
                ROOT,
                4,
                (path, attributes) -> attributes.isDirectory() && path.endsWith(Path.of("src", "test", "java")))) {
            modules.forEach(module -> addSources(module, sources));
        }
        return sources;
    }

    private static void addSources(Path module, Map<String, String> sources) {
        try (Stream<Path> files = Files.walk(module)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                String name = file.getFileName().toString();
                sources.put(name.substring(0, name.length() - ".java".length()), Files.readString(file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
