package dev.tandem.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.verify.record.Event;
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

/** {@code --judge} judges recorded folders, and says what is missing in them. */
class RecordedTrialsTest {

    private static final long SECOND = 1_000_000_000L;

    @TempDir
    private Path run;

    /** Records a trial: one task succeeds, and an executor is killed during another one, which may be run again. */
    private Path record(String name, boolean runAgain) throws IOException {
        Path trial = Files.createDirectories(run.resolve(name));
        try (JsonLinesLog<Event> own = new JsonLinesLog<>(trial.resolve(RecordedTrials.TRIAL_EVENTS));
                JsonLinesLog<Event> one = new JsonLinesLog<>(trial.resolve("e1.events"));
                JsonLinesLog<Event> two = new JsonLinesLog<>(trial.resolve("e2.events"))) {
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
            if (runAgain) {
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
    void judgesATrialByItsRecordedEvents() throws IOException {
        assertThat(judge(0, record("001", true)))
                .contains("Tandem 0.9, judged again by", "seed 42", "Lease 10.0 s", "Redis 7, somewhere", "passed")
                .containsPattern("kill +\\| kafka-zipf +\\| 1 ");
        assertThat(judge(1, record("002", false)))
                .contains("FAILED 1×: CUSTODY, NOTHING_LOST", "b1", "--trial-seed 42");
    }

    @Test
    void judgesAllTrialsOfARun() throws IOException {
        record("001", true);
        record("002", true);
        Files.writeString(run.resolve("report.md"), "passed");
        assertThat(judge(0, run)).containsPattern("kill +\\| kafka-zipf +\\| 2 ");
    }

    @Test
    void saysWhatIsMissing() throws IOException {
        assertThat(judge(2, run)).contains("has no recorded events", "the folder of a run");
        assertThat(judge(2, run.resolve("nowhere"))).contains("There is no folder", "nowhere");
        Path trial = record("001", true);
        Files.delete(trial.resolve("e1.events"));
        assertThat(judge(2, trial)).contains("lacks e1.events", "seem lost");
        Path other = record("002", true);
        Files.delete(other.resolve(RecordedTrials.TRIAL_EVENTS));
        assertThat(judge(2, other)).contains("lacks verify.events, which has the published tasks");
    }

    @Test
    void saysWhatCannotBeRead() throws IOException {
        Path trial = record("001", true);
        Files.writeString(trial.resolve("e2.events"), "{\"event\":\"Begun\",\"at\":1}\n", StandardOpenOption.APPEND);
        assertThat(judge(2, trial)).contains("e2.events has a line that is not an event: {\"event\":\"Begun\"");
        Path other = record("002", true);
        List<String> lines = Files.readAllLines(other.resolve(RecordedTrials.TRIAL_EVENTS));
        Files.write(other.resolve(RecordedTrials.TRIAL_EVENTS), lines.subList(1, lines.size()));
        assertThat(judge(2, other)).contains("verify.events does not describe its trial");
    }

    @Test
    void ignoresAnIncompleteLineOfAKilledProcess() throws IOException {
        Path trial = record("001", true);
        Files.writeString(
                trial.resolve("e1.events"), "{\"event\":\"RunFinished\",\"at\":12", StandardOpenOption.APPEND);
        assertThat(judge(0, trial)).contains("passed");
    }
}
