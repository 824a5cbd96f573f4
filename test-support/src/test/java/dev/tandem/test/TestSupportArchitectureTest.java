package dev.tandem.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TestSupportArchitectureTest {

    private static final Path SOURCES = Path.of("src/main/java/dev/tandem/test");

    /** The packages that may use Spring. A program without Spring has the rest. */
    private static final Set<String> OF_SPRING = Set.of(
            "AutoConfigureTestTandem",
            "ResetBeforeTest",
            "TandemTest",
            "TandemTestContextBootstrapper",
            "TandemTypeExcludeFilter",
            "TestTandemAutoConfiguration");

    @Test
    void onlyTheClassesForSpringNeedSpring() throws IOException {
        Set<String> found = new TreeSet<>();
        List<Path> files;
        try (Stream<Path> all = Files.list(SOURCES)) {
            files = all.toList();
        }
        for (Path file : files) {
            String text = Files.readString(file);
            if (text.contains("import org.springframework.") || text.contains("import dev.tandem.spring.")) {
                found.add(file.getFileName().toString().replace(".java", ""));
            }
        }
        assertThat(found).containsExactlyInAnyOrderElementsOf(OF_SPRING);
    }
}
