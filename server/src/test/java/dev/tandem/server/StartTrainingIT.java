package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalProcess;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes, from which the server starts fast. */
class StartTrainingIT {

    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    @Test
    void theServerStartsFromTheArchiveThatATrainingMakes() throws IOException {
        String classPath = jars();
        Path archive = folder.resolve("classes.archive");

        List<String> record = List.of("-XX:ArchiveClassesAtExit=" + archive);
        String training = run("training", classPath, record, StartTraining.class.getName());

        assertThat(archive).as(training).isNotEmptyFile();

        // Without the archive this would not start at all.
        List<String> options = List.of("-Xshare:on", "-XX:SharedArchiveFile=" + archive, "-Xlog:class+load");
        String start = run("start", classPath, options, TandemServer.class.getName(), "--help");

        assertThat(start)
                .contains("Usage: tandem server")
                .containsPattern("dev.tandem.server.TandemServer source: shared objects file");
    }

    private String run(String name, String classPath, List<String> options, String main, String... arguments)
            throws IOException {
        Path log = folder.resolve(name + ".log");
        try (LocalProcess process = LocalProcess.java(name, classPath, options, main, List.of(arguments))
                .directory(folder)
                .log(log)
                .start()) {
            assertThat(process.awaitExit(LIMIT)).as(name + " ended").isTrue();
            assertThat(process.exitStatus()).as(process.logTail()).isZero();
        }
        return Files.readString(log);
    }

    /** Returns the class path with a jar in place of each folder. A JVM archives classes of jars only. */
    private String jars() {
        ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (Files.isDirectory(Path.of(entry))) {
                String packed =
                        folder.resolve("tandem-" + entries.size() + ".jar").toString();
                assertThat(jar.run(System.out, System.err, "--create", "--file", packed, "-C", entry, "."))
                        .isZero();
                entries.add(packed);
            } else if (Files.exists(Path.of(entry))) {
                entries.add(entry);
            }
        }
        return String.join(File.pathSeparator, entries);
    }
}
