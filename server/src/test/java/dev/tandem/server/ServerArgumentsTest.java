package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.KeptHelp;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ServerArgumentsTest {

    @TempDir
    private Path folder;

    @Test
    void fileAndSettingsAreParsed() throws IOException {
        Path file = Files.createFile(folder.resolve("my settings.yml"));

        ServerArguments arguments =
                ServerArguments.parse("--config", file.toString(), "--tandem.max-payload=1KB", "--server.port=0");

        assertThat(arguments.help()).isFalse();
        assertThat(arguments.settings())
                .containsExactly(
                        "--spring.config.additional-location=" + file.toUri(),
                        "--tandem.max-payload=1KB",
                        "--server.port=0");
        assertThat(ServerArguments.parse("--config=" + file).settings()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--config", "--config=nowhere.yml", "start", "-x", "--tandem.max-payload"})
    void invalidArgumentIsRefused(String argument) {
        assertThatThrownBy(() -> ServerArguments.parse(argument))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(argument.split("=")[0]);
    }

    @Test
    void fileWithUnknownExtensionIsRefused() throws IOException {
        Path file = Files.createFile(folder.resolve("settings.json"));

        assertThatThrownBy(() -> ServerArguments.parse("--config", file.toString()))
                .hasMessageContaining("must end in .yml, .yaml or .properties");
    }

    @Test
    void helpAndMistakesEndTheProgram() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();

        assertThat(run(out, err, "--help")).isZero();
        assertThat(run(out, err, "now")).isEqualTo(2);
        assertThat(out.toString()).startsWith("Usage: tandem server");
        assertThat(err.toString()).startsWith("'now' can't be understood");
    }

    /** With {@code -Dhelp=write} this writes the file. */
    @Test
    void theHelpIsKeptForThoseWhoHaveBuiltNothing() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        run(out, out, "--help");

        assertThat(KeptHelp.of("server", out.toString())).isEqualTo(out.toString());
    }

    @Test
    void settingsAreCheckedWithoutAServer() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Path file = Files.writeString(
                folder.resolve("tandem.yml"), "tandem: { queues: { orders: { source: kafka, handler: log } } }");

        assertThat(run(out, out, "--check", "--config", file.toString())).isZero();
        assertThat(out.toString()).contains("The settings are right.");

        out.reset();
        assertThat(run(out, out, "--check", "--config", file.toString(), "--tandem.quues.orders.source=kafka"))
                .isEqualTo(1);
        assertThat(out.toString().lines())
                .singleElement(STRING)
                .startsWith("tandem.quues.orders.source is 'kafka': ")
                .contains("tandem.queues");
    }

    /** Spring Boot reports failures in a log, under a banner. */
    @Test
    void aCheckPrintsNothingButTheProblems() throws IOException {
        Path file =
                Files.writeString(folder.resolve("tandem.yml"), "tandem: { queues: { orders: { source: kafka } } }");
        Path twice =
                Files.writeString(folder.resolve("twice.yml"), "tandem:\n  max-payload: 1KB\n  max-payload: 2KB\n");

        assertThat(checked(file, "--tandem.max-payload=much", "--tandem.queues.orders.concurrency=0"))
                .hasSize(2)
                .allMatch(each -> each.startsWith("tandem."))
                .anyMatch(each -> each.startsWith("tandem.max-payload is 'much': "))
                .anyMatch(each -> each.startsWith("tandem.queues.orders.concurrency is '0': "));
        assertThat(checked(twice))
                .singleElement(STRING)
                .startsWith("The settings file twice.yml can't be read at line 3, column 3: found duplicate key");
    }

    /** Spring Boot would stop at the first one, and not say which it is. */
    @Test
    void allBrokenFilesAreNamedWithTheLine() throws IOException {
        Path indented = Files.writeString(
                folder.resolve("indented.yml"), "tandem:\n  redis:\n    uri: redis://localhost\n   cluster: true\n");
        Path colon = Files.writeString(folder.resolve("colon.yml"), "tandem:\n  redis\n  max-payload: 1KB\n");
        Path escape = Files.writeString(folder.resolve("escape.properties"), "tandem.redis.uri=\\u12\n");
        Path right = Files.writeString(folder.resolve("right.yml"), "tandem: { max-payload: 1KB }");
        ByteArrayOutputStream out = new ByteArrayOutputStream();

        assertThat(run(
                        out,
                        out,
                        "--check",
                        "--config=" + indented,
                        "--config=" + right,
                        "--config=" + colon,
                        "--config=" + escape))
                .isEqualTo(1);

        assertThat(out.toString().lines())
                .satisfiesExactly(
                        each -> assertThat(each)
                                .startsWith("The settings file indented.yml can't be read at line 4, column 4: ")
                                .contains("indent the line as those beside it"),
                        each -> assertThat(each)
                                .startsWith("The settings file colon.yml can't be read at line ")
                                .contains("colon"),
                        each -> assertThat(each).startsWith("The settings file escape.properties can't be read: "));
    }

    /** Returns what a process prints that checks a file. */
    private List<String> checked(Path file, String... settings) throws IOException {
        Path log = Files.createFile(folder.resolve("check-" + System.nanoTime() + ".log"));
        List<String> arguments = Stream.concat(Stream.of("--check", "--config", file.toString()), Stream.of(settings))
                .toList();
        try (LocalProcess process = LocalProcess.java(
                        "check",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("128m"),
                        TandemServer.class.getName(),
                        arguments)
                .log(log)
                .disposable()
                .build()
                .start()) {
            assertThat(process.awaitExit(Brokers.PATIENCE))
                    .as(process.logTail())
                    .isTrue();
            assertThat(process.exitStatus()).isEqualTo(1);
        }
        return Files.readAllLines(log);
    }

    private static int run(ByteArrayOutputStream out, ByteArrayOutputStream err, String... args) {
        return TandemServer.run(TandemServer.application(), args, new PrintStream(out), new PrintStream(err));
    }
}
