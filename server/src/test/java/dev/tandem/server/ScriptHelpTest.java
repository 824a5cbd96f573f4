package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The help that {@code ./tandem} gives in a clone in which nothing is built, on a machine that cannot build. */
class ScriptHelpTest {

    private static final Duration LIMIT = Duration.ofMinutes(1);

    @TempDir
    private Path clone;

    @BeforeEach
    void copyTheScript() throws IOException {
        Files.copy(Path.of("../tandem"), clone.resolve("tandem"), StandardCopyOption.COPY_ATTRIBUTES);
        Path texts = Files.createDirectories(clone.resolve("tools/help"));
        try (Stream<Path> files = Files.list(Path.of("../tools/help"))) {
            for (Path file : files.toList()) {
                Files.copy(file, texts.resolve(file.getFileName()));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "up", "demo", "bench", "verify"})
    void theHelpOfAProgramIsThereAtOnce(String command) throws IOException {
        String kept = Files.readString(Path.of("../tools/help/" + command + ".txt"));

        assertThat(tandem(0, command, "--help")).isEqualTo(kept);
        assertThat(tandem(0, command, "--port=1", "-h")).isEqualTo(kept);
    }

    @ParameterizedTest
    @ValueSource(strings = {"build", "install", "test", "lint", "site", "apidocs", "outbox-sql"})
    void theHelpOfTheScriptIsThereAtOnce(String command) throws IOException {
        assertThat(tandem(0, command, "--help")).startsWith("usage: ./tandem " + command);
    }

    @Test
    void whereTheHelpNeedsABuildThisIsSaidFirst() throws IOException {
        assertThat(tandem(1, "queues", "--help"))
                .startsWith("The help of this command is in its program, which is built first.")
                .contains("JAVA_HOME is /nowhere");
        assertThat(tandem(1, "queues")).startsWith("tandem: JAVA_HOME is /nowhere");
    }

    private String tandem(int status, String... words) throws IOException {
        List<String> line = new ArrayList<>(List.of(clone.resolve("tandem").toString()));
        line.addAll(List.of(words));
        Path log = Files.createTempFile(clone, "run", ".log");
        try (LocalProcess process = LocalProcess.program("tandem", line)
                .directory(clone)
                .log(log)
                .environment("JAVA_HOME", "/nowhere")
                .start()) {
            assertThat(process.awaitExit(LIMIT)).as(process.logTail()).isTrue();
            assertThat(process.exitStatus()).as(process.logTail()).isEqualTo(status);
            return Files.readString(log);
        }
    }
}
