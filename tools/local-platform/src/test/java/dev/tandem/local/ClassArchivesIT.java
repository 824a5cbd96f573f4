package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class ClassArchivesIT {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    @TempDir
    private Path folder;

    @Test
    void laterChildrenTakeTheClassesOfLibrariesFromAnArchive() throws IOException {
        assertThat(run()).containsPattern("org.slf4j.LoggerFactory source: (?!shared objects file)");
        assertThat(files(".jsa")).isZero();
        await().atMost(Duration.ofMinutes(2)).until(() -> {
            run();
            return files(".jsa") == 1;
        });

        assertThat(run())
                .contains("org.slf4j.LoggerFactory source: shared objects file")
                .containsPattern("ClassArchivesIT\\$Child source: (?!shared objects file)");
    }

    /** Children that are started together have loaded nothing when the last of them starts. */
    @Test
    void noArchiveIsMadeOfWhatChildrenHaveNotLoadedYet() throws IOException {
        for (int i = 0; i < 4; i++) {
            assertThat(ClassArchives.options(folder, List.of(), CLASS_PATH))
                    .anyMatch(option -> option.startsWith("-XX:DumpLoadedClassList="));
        }
        assertThat(files(".lock")).isZero();
    }

    private long files(String suffix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(suffix)).count();
        }
    }

    @Test
    void aChildStartsWithoutAnArchiveWhereNoneCanBeKept() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");

        assertThat(ClassArchives.options(file, List.of("-Xmx8m"), CLASS_PATH))
                .containsExactly("-Xmx8m", "-cp", CLASS_PATH);
    }

    @Test
    void aChildWithAnArchiveOfItsOwnKeepsIt() {
        List<String> own = List.of("-XX:SharedArchiveFile=own.jsa");

        assertThat(ClassArchives.options(folder, own, CLASS_PATH))
                .containsExactly("-XX:SharedArchiveFile=own.jsa", "-cp", CLASS_PATH);
    }

    /** Runs a child, and returns which classes it loads from where. */
    private String run() throws IOException {
        List<String> command = new ArrayList<>(List.of(LocalProcess.javaProgram()));
        command.addAll(
                ClassArchives.options(folder, JvmOptions.quickStart("64m", "-Xlog:class+load:stdout"), CLASS_PATH));
        command.add(Child.class.getName());
        Path log = Files.createTempFile(folder, "child", ".log");
        try (LocalProcess process = LocalProcess.program("child", command)
                .directory(folder)
                .log(log)
                .start()) {
            assertThat(process.awaitExit(Duration.ofMinutes(1))).isTrue();
            String text = Files.readString(log);
            assertThat(process.exitStatus()).as(text).isZero();
            return text;
        }
    }

    /** The program of the child. */
    static final class Child {

        public static void main(String[] arguments) {
            LoggerFactory.getLogger(Child.class).info("started");
        }
    }
}
