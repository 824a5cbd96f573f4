package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code --judge}: a folder that somebody sent is judged as it was where it was recorded, or what it lacks is named. */
class RecordedTrialsTest {

    private static final long SECOND = 1_000_000_000L;

    @TempDir
    private Path run;

    /** One task that succeeds, and an executor that is killed while it runs another, which nobody makes up for. */
    private Path record(String name, boolean madeUp) throws IOException {
        Path trial = Files.createDirectories(run.resolve(name));
        try (EventLog own = new EventLog(trial.resolve(RecordedTrials.OWN));
                EventLog one = new EventLog(trial.resolve("e1.events"));
                EventLog two = new EventLog(trial.resolve("e2.events"))) {
            own.write(new Event.TrialOpened(
                    0, "0.9", "kill", "kafka-zipf", 42, 10_000, 0, 2, 150, 6, List.of("Redis 7, somewhere")));
            own.write(new Event.Published(1, "a1", "a", 0, 0, 1, 0));
            own.write(new Event.Published(2, "b1", "b", 0, 1, 2, 0));
            one.write(new Event.RunStarted(SECOND, "e1", "a1", "a", 101, 1, 11 * SECOND, 0, 100, 0));
            one.write(new Event.RunFinished(SECOND + 1, "e1", "a1", 101, Event.Ending.SUCCEEDED));
            one.write(new Event.RunStarted(2 * SECOND, "e1", "b1", "b", 102, 1, 12 * SECOND, 0, 100, 0));
            own.write(new Event.FaultBegan(2 * SECOND + 1, "kill", 1, List.of("e1")));
            own.write(new Event.ProcessEnded(2 * SECOND + 2, "e1", true));
            own.write(new Event.FaultEnded(2 * SECOND + 3, "kill", 1, -1));
            if (madeUp) {
                two.write(new Event.RunStarted(13 * SECOND, "e2", "b1", "b", 202, 2, 23 * SECOND, 0, 200, 0));
                two.write(new Event.RunFinished(13 * SECOND + 1, "e2", "b1", 202, Event.Ending.SUCCEEDED));
            }
            own.write(new Event.ProcessEnded(20 * SECOND, "e2", false));
            own.write(new Event.TrialClosed(21 * SECOND, 0));
            own.write(new Event.Audit(22 * SECOND, List.of(2L), List.of(), List.of()));
        }
        return trial;
    }

    private static String judge(int status, Path folder) {
        StringWriter out = new StringWriter();
        CommandLine command = Verify.commandLine();
        command.setOut(new PrintWriter(out, true));
        command.setErr(new PrintWriter(out, true));
        assertThat(command.execute("--judge", folder.toString()))
                .as(out.toString())
                .isEqualTo(status);
        return out.toString();
    }

    @Test
    void aTrialIsJudgedByWhatItsFolderSays() throws IOException {
        assertThat(judge(0, record("001", true)))
                .contains("Tandem 0.9, judged again by", "seed 42", "Lease 10.0 s", "Redis 7, somewhere", "passed")
                .containsPattern("kill +\\| kafka-zipf +\\| 1 ");
        assertThat(judge(1, record("002", false)))
                .contains("FAILED 1×: CUSTODY, NOTHING_LOST", "b1", "--trial-seed 42");
    }

    @Test
    void allTrialsOfARunAreJudged() throws IOException {
        record("001", true);
        record("002", true);
        Files.writeString(run.resolve("report.md"), "passed");
        assertThat(judge(0, run)).containsPattern("kill +\\| kafka-zipf +\\| 2 ");
    }

    @Test
    void whatIsMissingIsNamed() throws IOException {
        assertThat(judge(2, run)).contains("has no recorded events", "the folder of a run");
        assertThat(judge(2, run.resolve("nowhere"))).contains("There is no folder", "nowhere");
        Path trial = record("001", true);
        Files.delete(trial.resolve("e1.events"));
        assertThat(judge(2, trial)).contains("lacks e1.events", "seem lost");
        Path other = record("002", true);
        Files.delete(other.resolve(RecordedTrials.OWN));
        assertThat(judge(2, other)).contains("lacks verify.events: what was published");
    }

    @Test
    void whatCannotBeReadIsNamed() throws IOException {
        Path trial = record("001", true);
        Files.writeString(trial.resolve("e2.events"), "Begun\t1\te2\n", StandardOpenOption.APPEND);
        assertThat(judge(2, trial)).contains("e2.events: Not an event: Begun");
        Path other = record("002", true);
        List<String> lines = Files.readAllLines(other.resolve(RecordedTrials.OWN));
        Files.write(other.resolve(RecordedTrials.OWN), lines.subList(1, lines.size()));
        assertThat(judge(2, other)).contains("verify.events does not say what trial it is of");
    }

    @Test
    void aHalfLineOfAProcessThatWasKilledIsPassedOver() throws IOException {
        Path trial = record("001", true);
        Files.writeString(trial.resolve("e1.events"), "Finished\t12", StandardOpenOption.APPEND);
        assertThat(judge(0, trial)).contains("passed");
    }
}
