package dev.tandem.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.cli.TandemCli;
import dev.tandem.testkit.KeptHelp;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The commands of the demo look like all other commands, and only this module has them. */
class DemoCliTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"demo", "up"})
    void everyCommandHasHelpAndAVersion(String command) {
        assertThat(execute(command, "--help")).isZero();
        assertThat(out.toString()).startsWith("Usage: tandem " + command + " [");
        // With -Dhelp=write this writes the file.
        assertThat(KeptHelp.of(command, out.toString())).isEqualTo(out.toString());

        out.getBuffer().setLength(0);
        assertThat(execute(command, "--version")).isZero();
        assertThat(out.toString()).startsWith("Tandem ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nothing",
                "demo --orders many",
                "demo --no-kill --picture a.svg",
                "up --exit",
                "up --queue redis:parcels",
                "up --queue rabbit:mail --no-amqp",
                "up --config nowhere.yml",
                "up --config pom.xml --queue parcels"
            })
    void wrongUsageHasItsOwnExitStatus(String line) {
        assertThat(execute(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo", "up"})
    void aPortThatIsTakenIsRefusedBeforeAnythingStarts(String command) throws IOException {
        try (ServerSocket other = new ServerSocket(0)) {
            String port = String.valueOf(other.getLocalPort());

            assertThat(execute(command, "--port", port)).isEqualTo(1);

            assertThat(err.toString())
                    .contains("cannot listen on port " + port + ": it is taken by ", "choose another --port");
        }
    }

    @Test
    void theServersCommandLineDoesNotListThem() {
        assertThat(TandemCli.commandLine().getSubcommands()).doesNotContainKeys("demo", "up");
    }

    private int execute(String... line) {
        return TandemCli.commandLine(new DemoCli())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF))
                .execute(line);
    }
}
