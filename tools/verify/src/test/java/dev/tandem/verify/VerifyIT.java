package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.local.MissingBrokerException;
import dev.tandem.testkit.Brokers;
import dev.tandem.verify.check.CheckerRule;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/**
 * Runs the command with real processes and brokers and a short lease. The report names the seed. Waits are judged
 * leniently, since other tests run on the same machine.
 */
class VerifyIT {

    private static final Path FOLDER = Path.of(System.getProperty("tandem.local.dir", "target/brokers"), "verify");

    /** Tasks a second, of which each has several features to be judged by. */
    private static final String FEATURES_RATE = "60";

    /** The output of the command. */
    private static final class Output {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
    }

    private static int verify(Output output, String... arguments) {
        CommandLine command = Verify.commandLine();
        command.setOut(new PrintWriter(output.out, true));
        command.setErr(new PrintWriter(output.err, true));
        return command.execute(arguments);
    }

    /** Returns what is wrong, which is easily lost among the lines about the progress. */
    private static String problems(Output output) {
        return output.err
                .toString()
                .lines()
                .filter(line -> line.startsWith("  ") || line.contains("FAILED") || line.contains("did not finish"))
                .collect(Collectors.joining("\n"));
    }

    private static void assertKept(String... arguments) {
        Output output = new Output();
        List<String> all = new ArrayList<>(List.of("--lease", "3s", "--lenience", "60s"));
        all.addAll(List.of(arguments));
        if (!all.contains("--rate")) {
            all.addAll(List.of("--rate", "80"));
        }
        int status = verify(output, all.toArray(String[]::new));
        assertThat(status)
                .as(problems(output) + "\n" + output.err + "\n" + output.out)
                .isZero();
        Brokers.orSkip(() -> {
            if (output.out.toString().contains("not tried")) {
                throw new MissingBrokerException(output.out.toString());
            }
            return status;
        });
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void keepsTheGuaranteesUnderAKillWithLostWrites() throws IOException {
        Path folder = FOLDER.resolve("kafka");
        assertKept("--folder", folder.toString(), "--only", "kill+redis-forgets", "--workload", "kafka-zipf");
        try (var runs = Files.list(folder)) {
            Path report = runs.map(run -> run.resolve("report.md"))
                    .filter(Files::exists)
                    .findFirst()
                    .orElseThrow();
            assertThat(Files.readString(report)).contains("kafka-zipf", CheckerRule.ORDER.description());
            Output again = new Output();
            assertThat(verify(again, "--judge", report.getParent().toString()))
                    .as(again.err + "\n" + again.out)
                    .isZero();
        }
    }

    @Test
    @Execution(ExecutionMode.CONCURRENT)
    void keepsTheGuaranteesOfFeaturesAndOnRabbit() {
        assertKept(
                "--folder",
                FOLDER.resolve("features").toString(),
                "--only",
                "freeze-settle",
                "--workload",
                "kafka-features",
                "--rate",
                FEATURES_RATE);
        assertKept(
                "--folder",
                FOLDER.resolve("rabbit-features").toString(),
                "--only",
                "rolling",
                "--workload",
                "rabbit-features",
                "--rate",
                FEATURES_RATE);
        assertKept("--folder", FOLDER.resolve("rabbit").toString(), "--only", "kill", "--workload", "rabbit-ordered");
    }

    @Test
    void explainsWrongOptions() {
        Output output = new Output();
        assertThat(verify(output, "--only", "flood")).isEqualTo(2);
        assertThat(output.err.toString()).contains("There is no fault 'flood', only", "kill");
        assertThat(verify(output, "--workload", "nats")).isEqualTo(2);
        assertThat(output.err.toString()).contains("There is no workload 'nats', only kafka-zipf");
        assertThat(verify(output, "--lease", "ten")).isEqualTo(2);
        assertThat(output.err.toString()).contains("--lease is 'ten', it must be like 500ms, 90s");
        assertThat(verify(output, "--only", "kafka-restart", "--workload", "rabbit-ordered"))
                .isEqualTo(2);
        assertThat(output.err.toString()).contains("Nothing is left");
    }
}
