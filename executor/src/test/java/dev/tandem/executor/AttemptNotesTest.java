package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.CheckpointException;
import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.KeepProgress;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.RunRequest.SaveCheckpoint;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.StoreAnswer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests of what a handler notes while it runs: checkpoints, progress, log lines, and that it shall run again. */
class AttemptNotesTest {

    record Place(String page, int line) {}

    private final RunnerFixture fixture = new RunnerFixture();
    private final NoteStore store = new NoteStore();

    private Outcome run(Handler.Action handler) {
        return run(queue().store(store).action("pay", handler));
    }

    private Outcome run(QueueSpec.Builder spec) {
        return fixture.run(spec, TestRuns.of(task("pay", ""), 12, 1, TestRuns.FOREVER));
    }

    @Test
    void aCheckpointIsJsonOrBytesAndIsReadOnce() {
        Outcome ended = run(task -> {
            assertThat(task.checkpoint(Place.class)).isEmpty();
            task.checkpoint(new Place("a", 7));
            assertThat(task.checkpoint(Place.class)).contains(new Place("a", 7));
        });
        assertThat(ended).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(store.asked).hasSize(2);

        run(task -> {
            assertThat(task.checkpoint(Place.class)).contains(new Place("a", 7));
            task.checkpoint(new byte[] {1, 2});
            assertThat(task.checkpoint(byte[].class))
                    .hasValueSatisfying(bytes -> assertThat(bytes).containsExactly(1, 2));
        });
        assertThat(store.asked).hasSize(4);
    }

    @Test
    void aCheckpointThatIsTooLargeIsRefusedByTheNameOfTheSetting() {
        run(task -> {
            assertThatThrownBy(() -> task.checkpoint(new byte[(64 << 10) + 1]))
                    .isInstanceOf(CheckpointException.class)
                    .hasMessageContaining("max-checkpoint-bytes of queue 'orders'");
            task.checkpoint(new byte[64 << 10]);
        });
        assertThat(store.asked).hasSize(1);
    }

    @Test
    void aRunWhoseClaimIsNotWrittenYetTriesAgain() {
        store.answers(Standing.UNKNOWN);
        store.fails();
        assertThat(run(task -> task.checkpoint(7))).isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(store.asked).hasSize(3);
    }

    @Test
    void aRunThatLostItsClaimIsRefused() {
        store.answers(Standing.ENDED);
        run(task -> assertThatThrownBy(() -> task.checkpoint(7))
                .isInstanceOf(CheckpointException.class)
                .hasMessageContaining("has lost its claim"));
        assertThat(store.asked).hasSize(1);
    }

    @Test
    void aRunWhoseLeaseRanOutDoesNotTryAgain() {
        store.answers(Standing.UNKNOWN);
        QueueSpec.Builder spec = queue().store(store).action("pay", task -> {
            fixture.clock.advance(11_000);
            assertThatThrownBy(() -> task.checkpoint(7)).hasMessageContaining("has lost its claim");
        });
        fixture.run(spec, TestRuns.of(task("pay", ""), 1, 1, fixture.clock.millis() + 10_000));
        assertThat(store.asked).hasSize(1);
    }

    @Test
    void ofCheckpointsThatWaitTheNewestIsSavedForAll() {
        store.answers(Standing.UNKNOWN);
        run(task -> {
            List<CompletableFuture<Void>> saved = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                saved.add(task.checkpointAsync(new byte[] {(byte) i}));
            }
            saved.forEach(CompletableFuture::join);
            assertThat(task.checkpoint(byte[].class))
                    .hasValueSatisfying(bytes -> assertThat(bytes).containsExactly(2));
        });
        assertThat(store.asked)
                .extracting(each -> (int) ((SaveCheckpoint) each).checkpoint()[0])
                .containsExactly(0, 0, 2);
    }

    @Test
    void savesThatNobodyWaitsForHoldOneValueAndTheNewestIsSavedBeforeAFailure() {
        CompletableFuture<StoreAnswer> slow = new CompletableFuture<>();
        store.answers.add(slow);
        AtomicInteger sentDuringTheRun = new AtomicInteger();

        Outcome outcome = run(task -> {
            for (int i = 0; i < 1_000; i++) {
                task.checkpointAsync(i);
            }
            sentDuringTheRun.set(store.asked.size());
            // Answers once the handler has ended.
            CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS)
                    .execute(() -> slow.complete(new StoreAnswer.Checkpoint(Standing.CLAIMED, null)));
            throw new IllegalStateException("fails");
        });

        assertThat(outcome).isInstanceOf(Outcome.Retry.class);
        assertThat(sentDuringTheRun).hasValue(1);
        assertThat(store.asked)
                .as("before the outcome is reported")
                .extracting(each -> new String(((SaveCheckpoint) each).checkpoint(), StandardCharsets.UTF_8))
                .containsExactly("0", "999");
    }

    @Test
    void afterASuccessNothingMoreIsAskedOfTheStore() {
        CompletableFuture<StoreAnswer> slow = new CompletableFuture<>();
        store.answers.add(slow);
        List<CompletableFuture<Void>> saved = new ArrayList<>();

        assertThat(run(task -> {
                    saved.add(task.checkpointAsync(1));
                    saved.add(task.checkpointAsync(2));
                }))
                .isEqualTo(Outcome.Succeeded.INSTANCE);
        slow.complete(new StoreAnswer.Checkpoint(Standing.UNKNOWN, null));

        assertThat(saved).allSatisfy(each -> assertThat(each).isCompletedExceptionally());
        assertThat(store.asked).hasSize(1);
    }

    @Test
    void aCheckpointThatThisVersionCannotReadFailsTheAttemptAndIsNoReasonToDie() {
        run(task -> task.checkpoint("of another version"));

        assertThat(run(task -> task.checkpoint(Place.class)))
                .isInstanceOfSatisfying(
                        Outcome.Retry.class,
                        retry -> assertThat(retry.error())
                                .contains("UnreadableCheckpointException", "the checkpoint of 20 bytes"));
    }

    @Test
    void progressAndLinesWithoutATextNeverFail() {
        assertThat(run(task -> {
                    task.progress(1, 2, null);
                    task.log(null);
                }))
                .isEqualTo(Outcome.Succeeded.INSTANCE);
        assertThat(notes()).hasSize(2);
    }

    @Test
    void aStoreThatFailsDoesNotEndTheWriter() {
        ProgressWriter writer = new ProgressWriter(Duration.ofMillis(1));
        AttemptNotes failing = notesOf(writer);
        store.throwsNext(new StackOverflowError("of the store"));
        failing.log("lost");
        await().until(() -> store.asked.size() == 1);

        failing.log("written");

        await().until(() -> store.asked.size() == 2);
        writer.close();
    }

    @Test
    void aTaskThatAsksForItRunsAgain() {
        assertThat(run(task -> task.snooze(Duration.ofMinutes(5)))).isEqualTo(new Outcome.Snoozed(300_000));
        assertThat(run(queue().handler("pay", task -> Result.snooze(Duration.ofSeconds(1)))))
                .isEqualTo(new Outcome.Snoozed(1_000));
        assertThat(run(queue().handler("pay", task -> {
                    task.snooze(Duration.ofMinutes(5));
                    return Result.dead("no");
                })))
                .isEqualTo(new Outcome.Dead("no"));
        assertThat(run(task -> {
                    task.snooze(Duration.ofMinutes(5));
                    throw new IllegalStateException("fails");
                }))
                .isInstanceOf(Outcome.Retry.class);
        assertThat(fixture.counters.snoozed.sum()).isEqualTo(2);
        assertThat(fixture.counters.failedAttempts.sum()).isEqualTo(1);
    }

    @Test
    void interceptorsSeeThatATaskRunsAgain() {
        List<Result> seen = new ArrayList<>();
        run(queue().action("pay", task -> task.snooze(Duration.ofMinutes(5))).interceptor((task, next) -> {
            seen.add(next.handle(task));
            return seen.get(0);
        }));
        assertThat(seen).containsExactly(Result.snooze(Duration.ofMinutes(5)));
    }

    @Test
    void aTaskThatIsStoppedBehindACheckpointStaysInTheStore() {
        assertThat(stopped(task -> {})).isEqualTo(Outcome.NotStarted.INSTANCE);
        assertThat(stopped(task -> task.checkpoint(7))).isEqualTo(new Outcome.Snoozed(0));
    }

    private Outcome stopped(Handler.Action handler) {
        return run(task -> {
            handler.run(task);
            fixture.slot.attempt().stop();
        });
    }

    @Test
    void progressAndLinesAreWrittenUntilTheTaskSucceeds() {
        run(task -> {
            task.progress(1, 3, "the pages\nof it");
            task.log("half");
            throw new IllegalStateException("fails");
        });
        assertThat(notes())
                .extracting(RunNotes::progress)
                .containsExactly(fixture.clock.wallMillis() + " 1 1 3 the pages?of it", "");
        assertThat(notes()).extracting(RunNotes::lines).containsExactly(List.of(), List.of(stamp("half")));
    }

    @Test
    void linesAreOffWithTheirSetting() {
        run(queue().store(store).notes(new NotePolicy(0, 0, 0)).action("pay", task -> {
            task.log("nobody sees this");
            assertThatThrownBy(() -> task.checkpoint("x")).hasMessageContaining("max-checkpoint-bytes");
        }));
        assertThat(store.asked).isEmpty();
    }

    @Test
    void newsAreWrittenOnceInAnIntervalAndOfALongTextOnlyItsBeginning() {
        AttemptNotes first = notesOf(new ProgressWriter(Duration.ofDays(1)));
        first.log("written at once");
        // From then on the writer waits for a day.
        await().until(() -> !store.asked.isEmpty());
        for (int i = 0; i < 50; i++) {
            first.progress(i, 0, "x".repeat(600));
            first.log("line " + i);
        }
        RunNotes taken = first.take();
        assertThat(taken.lines()).hasSize(20).endsWith(stamp("line 49"));
        assertThat(taken.progress()).hasSizeLessThan(TaskNotes.MAX_TEXT + 40);
        assertThat(first.take()).isNull();
        first.log("too late");
        first.discard();
        assertThat(first.take()).as("the task has succeeded").isNull();
    }

    @Test
    void whatWaitsToBeWrittenHoldsNoPayload() {
        assertThat(AttemptNotes.class.getDeclaredFields())
                .extracting(field -> (Object) field.getType())
                .doesNotContain(Run.class, Attempt.class, Task.class);
    }

    private AttemptNotes notesOf(ProgressWriter writer) {
        QueueSpec spec = queue().store(store).build();
        return new AttemptNotes(TestRuns.of(task("pay", ""), 12), spec, writer, fixture.clock);
    }

    private String stamp(String line) {
        return fixture.clock.wallMillis() + " 1 " + line;
    }

    private List<RunNotes> notes() {
        List<RunNotes> all = new ArrayList<>();
        for (RunRequest each : store.asked) {
            all.addAll(((KeepProgress) each).runs());
        }
        return all;
    }
}
