package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.Admin.Result;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.RunRequest.Standing;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Notes of runs as operators see them, and what becomes of them with their tasks. */
class NotesIT extends OperatorTestBase {

    private static final Position FIRST = Position.of(0, 1);
    private static final TaskNotes.Progress HALF = new TaskNotes.Progress(1_800_000_000_000L, 1, 5, 10, "of the pages");

    private void note(long offset, long token) {
        Position position = Position.of(0, offset);
        ask(new RunRequest.SaveCheckpoint(partition, position, token, new byte[] {7}));
        String line = new TaskNotes.Line(1_800_000_000_000L, 1, "begun").encode();
        ask(new RunRequest.KeepProgress(
                partition, 20, List.of(new RunNotes(position, token, HALF.encode(), List.of(line)))));
    }

    private StoreAnswer ask(RunRequest request) {
        return store.ask(request).toCompletableFuture().join();
    }

    private byte[] checkpoint(long token) {
        StoreAnswer.Checkpoint read =
                (StoreAnswer.Checkpoint) ask(new RunRequest.ReadCheckpoint(partition, FIRST, token));
        assertThat(read.standing()).isEqualTo(Standing.CLAIMED);
        return read.value();
    }

    private void die(long offset, long token) {
        Verdict dead = new Verdict.Dead(DeadHead.SKIP, envelope(null, token));
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, offset), token, null, new SettledMark.Offset(offset), dead, 0)),
                List.of());
    }

    private long notes() {
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        return get(store.adminConnection().run(commands -> commands.hlen(keys[24])))
                + get(store.adminConnection().run(commands -> commands.hlen(keys[25])));
    }

    @Test
    void aTaskIsShownWithItsNotes() {
        long token = claim(1, "k");
        note(1, token);

        TaskView task = get(store.inspector().task(partition, FIRST)).orElseThrow();

        assertThat(task.notes().progress()).isEqualTo(HALF);
        assertThat(task.notes().log()).extracting(TaskNotes.Line::text).containsExactly("begun");
        assertThat(task.notes().checkpoint()).isNotNull();
        assertThat(task.notes().checkpoint().bytes()).isEqualTo(1);
        assertThat(task.notes().checkpoint().at()).isPositive();
        claim(2, null);
        assertThat(get(store.inspector().task(partition, Position.of(0, 2)))
                        .orElseThrow()
                        .notes())
                .isEqualTo(TaskNotes.NONE);
    }

    @Test
    void runningTasksAreListedWithTheirProgressAndWithoutPayloads() {
        Task task = new Task(
                "a-1", queue, "ship", null, new byte[] {1}, Map.of("color", "red"), 1L << 40, 300, 4, 5, "order-7");
        Envelope stored = new Envelope(task, 200, 9, "boom");
        Position first = Position.of(0, 1);
        hand(List.of(new HandOver(first, null, new SettledMark.Offset(1), new Move.Schedule(1), stored.encode())));
        assertThat(due().claimed()).hasSize(1);
        note(2, claim(2, "k"));

        List<TaskView> all = get(store.inspector().running(List.of(partition), 10));

        assertThat(all).extracting(TaskView::position).containsExactlyInAnyOrder(first, Position.of(0, 2));
        assertThat(all).extracting(each -> each.claim().startedAt()).isSorted();
        TaskView ofStore = all.get(all.get(0).position().equals(first) ? 0 : 1);
        TaskView ofBroker = all.get(all.get(0).position().equals(first) ? 1 : 0);
        assertThat(ofStore.envelope())
                .usingRecursiveComparison()
                .isEqualTo(new Envelope(
                        new Task("a-1", queue, "ship", null, new byte[0], Map.of(), 1L << 40, 300, 4, 5, "order-7"),
                        200,
                        9,
                        "boom"));
        assertThat(ofStore.notes()).isEqualTo(TaskNotes.NONE);
        assertThat(ofStore.claim().leaseUntil()).isGreaterThan(ofStore.claim().startedAt());
        assertThat(ofBroker.envelope()).isNull();
        assertThat(ofBroker.notes()).isEqualTo(new TaskNotes(HALF, List.of(), null));
        assertThat(get(store.inspector().running(List.of(partition), 1)))
                .as("the one that was claimed first")
                .extracting(TaskView::position)
                .containsExactly(all.get(0).position());
    }

    @Test
    void aDeadTaskThatIsRetriedGoesOnFromItsCheckpoint() {
        long token = claim(1, null);
        note(1, token);
        die(1, token);
        assertThat(notes()).isEqualTo(2);

        assertThat(get(store.admin().retry(partition, FIRST))).isEqualTo(Result.DONE);

        assertThat(checkpoint(due().claimed().get(0).token())).containsExactly(7);
    }

    @Test
    void aTaskThatIsDeletedTakesItsNotesWithIt() {
        long token = claim(1, null);
        note(1, token);
        die(1, token);
        assertThat(get(store.admin().delete(partition, FIRST))).isEqualTo(Result.DONE);
        assertThat(notes()).isZero();
    }

    @Test
    void aDeadTaskThatIsTrimmedTakesItsNotesWithIt() {
        long token = claim(1, null);
        note(1, token);
        die(1, token);
        Retention none = new Retention(Duration.ZERO, 0, Duration.ZERO, 0, 0);
        get(new Housekeeper(store.adminConnection(), store.admin(), none).trim(partition));
        assertThat(get(store.inspector().task(partition, FIRST))).isEmpty();
        assertThat(notes()).isZero();
    }

    @Test
    void notesOfTasksThatAreGoneAreRemovedAndNoOthers() {
        long token = claim(1, null);
        note(1, token);
        long waiting = claim(2, "k");
        note(2, waiting);
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        // As an executor of an earlier version ends a task.
        get(store.adminConnection()
                .run(commands -> commands.hdel(keys[1], FIRST.text().getBytes(StandardCharsets.US_ASCII))));

        get(new NoteTrimmer(store.adminConnection()).trim(partition));
        assertThat(notes()).as("they are young").isEqualTo(4);
        get(new NoteTrimmer(store.adminConnection(), Duration.ofMillis(-1)).trim(partition));

        assertThat(notes()).isEqualTo(2);
        assertThat(get(store.inspector().task(partition, Position.of(0, 2)))
                        .orElseThrow()
                        .state())
                .isEqualTo(TaskState.ACTIVE);
    }

    @Test
    void aPartitionWithoutNotesToRemoveIsLeftAloneForSomeRounds() {
        NoteTrimmer trimmer = new NoteTrimmer(store.adminConnection(), Duration.ofMillis(-1));
        long token = claim(1, null);
        note(1, token);
        assertThat(get(trimmer.trim(partition))).as("the task runs").isZero();
        get(store.adminConnection()
                .run(commands -> commands.hdel(
                        RedisKeys.DEFAULTS.of(partition)[1], FIRST.text().getBytes(StandardCharsets.US_ASCII))));

        for (int round = 0; round < NoteTrimmer.IDLE_ROUNDS; round++) {
            assertThat(get(trimmer.trim(partition))).isZero();
        }
        assertThat(get(trimmer.trim(partition))).isEqualTo(2);
    }

    @Test
    void successesForgetTheirNotesInOneRequestWithOthers() {
        long token = claim(1, null);
        note(1, token);
        succeed(Map.of(3L, kept(null, null), 4L, kept(null, null)));
        assertThat(notes()).isEqualTo(2);
        owner.settleAndClaim(
                List.of(new Settle(
                        FIRST, token, null, new SettledMark.Offset(1), new Verdict.Success(kept(null, null)), 0)),
                List.of());
        assertThat(notes()).isZero();
    }
}
