package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.MissingBrokerException;
import dev.tandem.testkit.Brokers;
import dev.tandem.verify.check.Rule;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/**
 * The command itself, on real processes and brokers of its own, with a short lease; the report names the seed. How long
 * waits are says nothing on a machine that runs other tests too.
 */
class VerifyIT {

    private static final Path FOLDER = Path.of(System.getProperty("tandem.local.dir", "target/brokers"), "verify");

    /** What a run said. */
    private static final class Said {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
    }

    private static int verify(Said said, String... arguments) {
        CommandLine command = Verify.commandLine();
        command.setOut(new PrintWriter(said.out, true));
        command.setErr(new PrintWriter(said.err, true));
        return command.execute(arguments);
    }

    private static void assertKept(String... arguments) {
        Said said = new Said();
        List<String> all = new ArrayList<>(List.of("--lease", "3s", "--rate", "80", "--lenience", "60s"));
        all.addAll(List.of(arguments));
        int status = verify(said, all.toArray(String[]::new));
        assertThat(status).as(said.err + "\n" + said.out).isZero();
        Brokers.orSkip(() -> {
            if (said.out.toString().contains("not tried")) {
                throw new MissingBrokerException(said.out.toString());
            }
            return status;
        });
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theGuaranteesHoldThroughAKillAFreezeAndARollingRestart() throws IOException {
        Path folder = FOLDER.resolve("kafka");
        assertKept("--folder", folder.toString(), "--only", "kill,freeze-settle,rolling", "--workload", "kafka-zipf");
        try (var runs = Files.list(folder)) {
            Path report = runs.map(run -> run.resolve("report.md"))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            assertThat(Files.readString(report)).contains("kafka-zipf", Rule.ORDER.text());
            Said again = new Said();
            assertThat(verify(again, "--judge", report.getParent().toString()))
                    .as(again.err + "\n" + again.out)
                    .isZero();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void theGuaranteesHoldWhenRedisForgetsAndOnRabbit() {
        assertKept(
                "--folder",
                FOLDER.resolve("forgets").toString(),
                "--only",
                "redis-forgets",
                "--workload",
                "kafka-distinct");
        assertKept("--folder", FOLDER.resolve("rabbit").toString(), "--only", "kill", "--workload", "rabbit-ordered");
    }

    @Test
    void whatIsNotThereIsNamedWithWhatIs() {
        Said said = new Said();
        assertThat(verify(said, "--only", "flood")).isEqualTo(2);
        assertThat(said.err.toString()).contains("There is no fault 'flood', only", "kill");
        assertThat(verify(said, "--workload", "nats")).isEqualTo(2);
        assertThat(said.err.toString()).contains("There is no workload 'nats', only kafka-zipf");
        assertThat(verify(said, "--lease", "ten")).isEqualTo(2);
        assertThat(said.err.toString()).contains("--lease is 'ten', it must be like 500ms, 90s");
        assertThat(verify(said, "--only", "kafka-restart", "--workload", "rabbit-ordered"))
                .isEqualTo(2);
        assertThat(said.err.toString()).contains("Nothing is left");
    }
}
