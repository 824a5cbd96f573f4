package dev.tandem.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
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
        assertThat(out.toString()).isEmpty();
    }

    private static int run(ByteArrayOutputStream out, ByteArrayOutputStream err, String... args) {
        return TandemServer.run(TandemServer.application(), args, new PrintStream(out), new PrintStream(err));
    }
}
