package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.LocalProcess;
import dev.tandem.server.cli.TandemCli;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The archives of classes, from which the server and its commands start fast. */
@Execution(ExecutionMode.CONCURRENT)
class StartTrainingIT {

    private static final Duration LIMIT = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    @Test
    void theServerStartsFromTheArchiveThatATrainingMakesWhateverTheSettingsOfTheUser() throws IOException {
        Files.writeString(folder.resolve("application.yml"), "server.address: 127.0.0.3\ntandem.no-such-setting: 1\n");
        String classPath = jars();
        Path archive = folder.resolve("classes.archive");
        LocalProcess.Builder training = training(
                        "training",
                        classPath,
                        List.of("-XX:ArchiveClassesAtExit=" + archive, "-Dtandem.no-such-property=1"))
                .environment("SERVER_ADDRESS", "127.0.0.2")
                .environment("MANAGEMENT_SERVER_PORT", "1")
                .environment("TANDEM_NO_SUCH_VARIABLE", "1");

        assertThat(status(training)).isZero();
        assertThat(archive).as(Files.readString(log("training"))).isNotEmptyFile();

        // Without the archive this would not start at all.
        List<String> options = List.of("-Xshare:on", "-XX:SharedArchiveFile=" + archive, "-Xlog:class+load");
        String start = succeed("start", classPath, options, TandemServer.class.getName(), "--help");

        assertThat(start)
                .contains("Usage: tandem server")
                .containsPattern("dev.tandem.server.TandemServer source: shared objects file");
    }

    @Test
    void aTrainingThatFailsEndsAndSaysWhy() throws IOException {
        String nowhere = folder.resolve("nowhere").toString();
        LocalProcess.Builder training = training(
                "without a temporary folder",
                System.getProperty("java.class.path"),
                List.of("-Djava.io.tmpdir=" + nowhere));

        assertThat(status(training)).isEqualTo(1);
        assertThat(log("without a temporary folder")).content().contains(nowhere);
    }

    /** The class path has the libraries that the script gives to commands. */
    @Test
    void commandsStartFromTheArchiveOfTheirTrainingAndNeedFewClasses() throws IOException {
        String classPath = Pattern.compile(File.pathSeparator)
                .splitAsStream(jars())
                .filter(entry ->
                        entry.startsWith(folder.toString()) || entry.matches(".*/(picocli|jackson|tandem)-[^/]*"))
                .collect(Collectors.joining(File.pathSeparator));
        Path archive = folder.resolve("commands.archive");
        List<String> record = List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:disable");
        String training = succeed("training", classPath, record, "dev.tandem.server.cli.CommandTraining");

        assertThat(training).doesNotContain("did not end as it should");

        List<String> options = List.of("-Xshare:on", "-XX:SharedArchiveFile=" + archive, "-Xlog:class+load");
        String start = succeed("start", classPath, options, TandemCli.class.getName(), "queues", "--help");

        assertThat(start)
                .contains("Usage: tandem queues")
                .containsPattern("dev.tandem.server.cli.QueuesCommand source: shared objects file")
                .as("what takes long to start")
                .doesNotContain("java.net.http.", "cli.SubmitCommand$Payload source");
    }

    private LocalProcess.Builder training(String name, String classPath, List<String> options) {
        return LocalProcess.java(name, classPath, quick(options), StartTraining.class.getName(), List.of())
                .directory(folder)
                .log(log(name));
    }

    private static List<String> quick(List<String> options) {
        List<String> quick = new ArrayList<>(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        quick.addAll(options);
        return quick;
    }

    private Path log(String name) {
        return folder.resolve(name + ".log");
    }

    private String succeed(String name, String classPath, List<String> options, String main, String... arguments)
            throws IOException {
        LocalProcess.Builder process = LocalProcess.java(name, classPath, quick(options), main, List.of(arguments))
                .directory(folder)
                .log(log(name));
        assertThat(status(process)).as(name).isZero();
        return Files.readString(log(name));
    }

    private static int status(LocalProcess.Builder builder) {
        try (LocalProcess process = builder.start()) {
            assertThat(process.awaitExit(LIMIT)).as(process + " ended").isTrue();
            int status = process.exitStatus();
            if (status != 0) {
                System.out.println(process.logTail());
            }
            return status;
        }
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
