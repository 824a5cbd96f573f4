package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** The command itself, on real processes and brokers: a short lease makes it short. */
class VerifyIT {

    private static final Path FOLDER = Path.of(System.getProperty("tandem.local.dir", "target/brokers"), "verify");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int verify(String... arguments) {
        List<String> all = new ArrayList<>(List.of("--folder", FOLDER.toString(), "--lease", "4s", "--rate", "100"));
        all.addAll(List.of(arguments));
        CommandLine command = Verify.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(err, true));
        return command.execute(all.toArray(String[]::new));
    }

    private void assertKept(int status) {
        assertThat(status).as(() -> err + "\n" + out).isZero();
    }

    @Test
    void theGuaranteesHoldWhenAnExecutorIsKilled() throws Exception {
        assertKept(verify("--only", "kill", "--workload", "kafka-zipf", "-o", "json"));
        assertThat(out.toString()).contains("\"NOTHING_LOST\" : \"kept\"", "\"ORDER\" : \"kept\"");
        try (var runs = Files.list(FOLDER)) {
            assertThat(runs.map(run -> run.resolve("report.md"))).anyMatch(Files::exists);
        }
    }
}
