package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.scheduler.Admin.Deletion;
import dev.tandem.scheduler.Admin.Result;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.UnhandledSince;
import dev.tandem.task.store.Registration.OperatorPause;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** Operators' changes of tasks, keys and queues. */
class AdminIT extends OperatorTestBase {

    @Test
    void retryingTheDeadHeadUnblocksItsKey() {
        halt("k", 1);
        park("k", 2);
        KeyView key = get(store.inspector().keys().find(partition, "k")).orElseThrow();
        assertThat(key.reason()).isEqualTo(BlockReason.HALTED);
        assertThat(key.parked()).isEqualTo(1);
        int wakes = owner.wakes.get();

        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);
        await().until(() -> owner.wakes.get() > wakes);
        assertThat(owner.renew().opened()).containsExactly("k");
        StoreAnswer.DueTasks due = due();
        assertThat(due.claimed()).hasSize(1);
        assertThat(due.claimed().get(0).position()).isEqualTo(Position.of(0, 1));
        Envelope envelope = Envelope.decode(queue, due.claimed().get(0).envelope());
        assertThat(envelope.attempts()).isZero();
        assertThat(envelope.error()).isEqualTo("boom");
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.ACTIVE);
        assertThat(get(store.inspector().keys().find(partition, "k"))
                        .orElseThrow()
                        .reason())
                .isEqualTo(BlockReason.HEAD);
    }

    @Test
    void skippingTheDeadHeadStartsTheNextTask() {
        halt("k", 1);
        park("k", 2, 3);
        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.ACTIVE);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        assertThat(error(1)).isEqualTo("skipped by an operator, after: boom");
        assertThat(get(store.admin().skipKey(partition, "unknown"))).isEqualTo(Result.NOT_FOUND);
    }

    @Test
    void drainingOpensTheKeyAndItsLaneDiesInOrder() {
        halt("k", 1);
        park("k", 4, 2, 3);
        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(get(store.inspector().keys().find(partition, "k"))).isEmpty();
        assertThat(offsets(TaskState.DEAD)).containsExactly(3L, 2L, 4L, 1L);
        String reason = "drained behind @0/0:1, the head of its key, by an operator";
        assertThat(page(TaskState.DEAD, null, 10).items())
                .extracting(task -> task.envelope().error())
                .containsExactly(reason, reason, reason, "drained by an operator, after: boom");
        assertThat(owner.renew().opened()).containsExactly("k");
        assertThat(get(store.inspector().counts(partition)).totals()).containsEntry("dead", 4L);
    }

    /** The script replaces the error in the bytes of an envelope, whatever optional fields that has. */
    @Test
    void drainedTasksKeepAllOtherFields() {
        halt("k", 1);
        List<HandOver> entries = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (int has = 0; has < 128; has++) {
            Task task = new Task(
                    (has & 1) == 0 ? null : "order-7",
                    queue,
                    (has & 2) == 0 ? null : "t",
                    "k",
                    new byte[] {1, (byte) has},
                    (has & 4) == 0 ? Map.of() : Map.of("one", "two"),
                    (has & 8) == 0 ? 0 : System.currentTimeMillis(),
                    0,
                    (has & 16) == 0 ? 0 : 30_000,
                    (has & 16) == 0 ? 0 : 3,
                    (has & 8) == 0 ? null : "d".repeat(300));
            String error = (has & 64) == 0 ? null : "x".repeat(200);
            Envelope envelope = new Envelope(task, (has & 32) == 0 ? 0 : 300, (has & 32) == 0 ? 0 : 7, error);
            entries.add(new HandOver(
                    Position.of(0, 1_000 + has),
                    "k",
                    new SettledMark.Offset(1_000 + has),
                    new Move.Park(),
                    envelope.encode()));
            expected.add(HexFormat.of()
                    .formatHex(envelope.withError(
                                    Envelope.drainedBehind(partition, Position.of(0, 1)) + ", by an operator")
                            .encode()));
        }
        hand(entries);

        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.DONE);

        List<String> drained = new ArrayList<>();
        for (int has = 0; has < 128; has++) {
            TaskView dead = get(store.inspector().task(partition, Position.of(0, 1_000 + has)))
                    .orElseThrow();
            drained.add(HexFormat.of().formatHex(dead.envelope().encode()));
        }
        assertThat(drained).isEqualTo(expected);
    }

    @Test
    void skippingAWaitingHeadNeedsForceAndMakesItDead() {
        retryLater("k", 1);
        park("k", 2);
        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.NOT_HALTED);
        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.NOT_HALTED);
        assertThat(offsets(TaskState.RETRY)).containsExactly(1L);
        assertThat(offsets(TaskState.PARKED)).containsExactly(2L);

        assertThat(get(store.admin().skipKey(partition, "k", true))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        assertThat(error(1)).isEqualTo("skipped by an operator before its next attempt, after: boom");
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
    }

    @Test
    void retriesAndDeletesWaitingTasks() {
        schedule(1, FAR);
        schedule(2, FAR);
        retryLater("k", 3);
        park("k", 4, 5);
        claim(6, "other");
        assertThat(get(store.admin().retry(partition, Position.of(0, 1)))).isEqualTo(Result.DONE);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 1));

        assertThat(get(store.admin().delete(partition, Position.of(0, 2)))).isEqualTo(Result.DONE);
        assertThat(get(store.admin().delete(partition, Position.of(0, 2)))).isEqualTo(Result.NOT_FOUND);
        assertThat(get(store.admin().delete(partition, Position.of(0, 6)))).isEqualTo(Result.ACTIVE);
        assertThat(get(store.admin().delete(partition, Position.of(0, 4)))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.PARKED)).containsExactly(5L);
        assertThat(get(store.admin().delete(partition, Position.of(0, 3)))).isEqualTo(Result.DONE);
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 5));
        assertThat(get(store.inspector().counts(partition)).totals()).containsEntry("cancelled", 3L);
    }

    @Test
    void deletingADeadHeadUnblocksItsKey() {
        halt("k", 1);
        park("k", 2);
        assertThat(get(store.admin().delete(partition, Position.of(0, 1)))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.DEAD)).isEmpty();
        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 2));
    }

    @Test
    void deletionTakesOnlyWhatItIsMeantFor() {
        halt("k", 1);
        schedule(2, FAR);
        retryLater("l", 3);
        claim(4, "m");
        Admin admin = store.admin();
        for (long waiting : new long[] {2, 3}) {
            assertThat(get(admin.delete(partition, Position.of(0, waiting), Deletion.DEAD)))
                    .isEqualTo(Result.OTHER_STATE);
            assertThat(get(admin.delete(partition, Position.of(0, waiting), Deletion.DEAD_NOT_HALTING)))
                    .isEqualTo(Result.OTHER_STATE);
        }
        assertThat(get(admin.delete(partition, Position.of(0, 1), Deletion.WAITING)))
                .isEqualTo(Result.OTHER_STATE);
        assertThat(get(admin.delete(partition, Position.of(0, 1), Deletion.DEAD_NOT_HALTING)))
                .isEqualTo(Result.HALTS_KEY);
        assertThat(get(admin.delete(partition, Position.of(0, 4), Deletion.DEAD)))
                .isEqualTo(Result.ACTIVE);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);

        assertThat(get(admin.skipKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(get(admin.delete(partition, Position.of(0, 1), Deletion.DEAD_NOT_HALTING)))
                .as("it halts its key no more")
                .isEqualTo(Result.DONE);
        assertThat(get(admin.delete(partition, Position.of(0, 2), Deletion.WAITING)))
                .isEqualTo(Result.DONE);
        assertThat(get(store.inspector().counts(partition)).totals()).containsEntry("cancelled", 1L);
    }

    /** Two operators have seen the same head, or a request comes twice. */
    @Test
    void onlyTheHeadThatWasSeenIsGivenUp() {
        halt("k", 1);
        park("k", 2, 3);
        KeyView seen = get(store.inspector().keys().find(partition, "k")).orElseThrow();
        assertThat(get(store.admin().skip(seen, false))).isEqualTo(Result.DONE);
        StoreAnswer.DueTask next = due().claimed().get(0);
        Verdict dead = new Verdict.Dead(DeadHead.HALT, envelope("k", next.token()));
        owner.settleAndClaim(
                List.of(new Settle(next.position(), next.token(), "k", SettledMark.NONE, dead, 0)), List.of());

        assertThat(get(store.admin().skip(seen, true))).isEqualTo(Result.NOT_FOUND);
        assertThat(get(store.admin().drain(seen, true))).isEqualTo(Result.NOT_FOUND);

        KeyView now = get(store.inspector().keys().find(partition, "k")).orElseThrow();
        assertThat(now.head()).isEqualTo(Position.of(0, 2));
        assertThat(now.reason()).isEqualTo(BlockReason.HALTED);
        assertThat(offsets(TaskState.PARKED)).containsExactly(3L);
    }

    @Test
    void headThatWasSeenDeadAndIsRetriedSinceIsNotGivenUpEvenByForce() {
        halt("k", 1);
        KeyView seen = get(store.inspector().keys().find(partition, "k")).orElseThrow();
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);

        assertThat(get(store.admin().skip(seen, true))).isEqualTo(Result.NOT_FOUND);

        assertThat(due().claimed()).extracting(StoreAnswer.DueTask::position).containsExactly(Position.of(0, 1));
    }

    /** An executor of an earlier version leaves the time of the first try in what dies. */
    @Test
    void retriedTaskForgetsSinceWhenItHadNoHandler() {
        long token = claim(1, "k");
        Task old = UnhandledSince.with(Task.of(queue, "k", new byte[] {1}), 1_000, 2_000);
        Verdict dead = new Verdict.Dead(DeadHead.HALT, new Envelope(old, 3, token, "no handler").encode());
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, 1), token, "k", new SettledMark.Offset(1), dead, 0)), List.of());

        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);

        Envelope retried = get(store.inspector().task(partition, Position.of(0, 1)))
                .orElseThrow()
                .envelope();
        assertThat(UnhandledSince.of(retried.task())).isEqualTo(UnhandledSince.NEVER);
        assertThat(retried.attempts()).isZero();
    }

    @Test
    void taskThatWasSeenDeadIsRetriedOnlyIfItStillIs() {
        halt("k", 1);
        TaskView seen =
                get(store.inspector().task(partition, Position.of(0, 1))).orElseThrow();
        assertThat(get(store.admin().retry(seen))).isEqualTo(Result.DONE);

        assertThat(get(store.admin().retry(seen))).isEqualTo(Result.NOT_FOUND);
    }

    private TaskView seen(long offset) {
        return get(store.inspector().task(partition, Position.of(0, offset))).orElseThrow();
    }

    private Result edit(TaskView seen, int payload) {
        return get(store.admin().edit(seen, new byte[] {(byte) payload}));
    }

    @Test
    void editedTasksKeepAllButTheirPayloadsAndRunWithTheNewOnes() {
        halt("k", 1);
        park("k", 2);
        schedule(3, FAR);
        retryLater("r", 4);
        for (long offset = 1; offset <= 4; offset++) {
            TaskView before = seen(offset);
            assertThat(edit(before, 9)).as(before.state().name()).isEqualTo(Result.DONE);

            TaskView after = seen(offset);
            assertThat(after.envelope().task().payload()).containsExactly(9);
            assertThat(after.envelope()
                            .withError(null)
                            .task()
                            .withPayload(new byte[0])
                            .toString())
                    .isEqualTo(before.envelope().task().withPayload(new byte[0]).toString());
            assertThat(after.envelope().attempts()).isEqualTo(before.envelope().attempts());
            assertThat(after.envelope().error()).isEqualTo(before.envelope().error());
            assertThat(after.at()).isEqualTo(before.at());
            assertThat(after.state()).isEqualTo(before.state());
            assertThat(edit(before, 8)).isEqualTo(Result.NOT_FOUND);
        }

        assertThat(get(store.admin().skipKey(partition, "k"))).isEqualTo(Result.DONE);
        assertThat(get(store.admin().retry(seen(1)))).isEqualTo(Result.DONE);
        assertThat(get(store.admin().retry(partition, Position.of(0, 3)))).isEqualTo(Result.DONE);
        assertThat(get(store.admin().retry(partition, Position.of(0, 4)))).isEqualTo(Result.DONE);
        assertThat(due().claimed())
                .hasSize(3)
                .allSatisfy(task -> assertThat(
                                Envelope.decode(queue, task.envelope()).task().payload())
                        .containsExactly(9));
    }

    /** A task that its owner was given would run with the payload that the owner has. */
    @Test
    void whatItsOwnerMayHaveBeenGivenIsNotEdited() {
        claim(1, null);
        schedule(2, System.currentTimeMillis() + 1_000);
        hand(List.of(entry(3, null, new Move.JoinLine(7))));
        schedule(4, System.currentTimeMillis() - 1);
        await().until(() -> !owner.ask(
                        new StoreRequest.ClaimDue(
                                owner.header(), TestOwner.LEASE, 0, 10, 10, owner.token + 1, false, null),
                        StoreAnswer.DueTasks.class)
                .offered()
                .isEmpty());

        for (long offset = 1; offset <= 4; offset++) {
            assertThat(edit(seen(offset), 9)).as("task " + offset).isEqualTo(Result.ACTIVE);
        }
    }

    /** The head of a blocked key is claimed, and never offered, so nobody has its payload, however soon it is due. */
    @Test
    void theHeadOfABlockedKeyIsEditedAlsoIfItIsDue() {
        retryIn(1, "k", 1);
        retryIn(1, null, 2);

        assertThat(edit(seen(1), 9)).isEqualTo(Result.DONE);
        assertThat(edit(seen(2), 9)).as("a task without a key may be offered").isEqualTo(Result.ACTIVE);
        assertThat(due().claimed())
                .filteredOn(each -> each.position().equals(Position.of(0, 1)))
                .singleElement()
                .satisfies(task -> assertThat(
                                Envelope.decode(queue, task.envelope()).task().payload())
                        .containsExactly(9));
    }

    private String error(long offset) {
        return get(store.inspector().task(partition, Position.of(0, offset)))
                .orElseThrow()
                .envelope()
                .error();
    }

    @Test
    void everyWatcherSeesThatAQueueIsPaused() throws Exception {
        List<OperatorPause> seen = new CopyOnWriteArrayList<>();
        try (AutoCloseable watch = store.watchPause(queue, seen::add)) {
            await().untilAsserted(() -> assertThat(seen).containsExactly(OperatorPause.NO));
            get(store.admin().pause(queue));
            await().untilAsserted(() -> assertThat(seen).containsExactly(OperatorPause.NO, OperatorPause.YES));
            assertThat(get(store.inspector().pausedSince(queue))).isPresent();
            List<OperatorPause> seenLate = new CopyOnWriteArrayList<>();
            try (AutoCloseable another = store.watchPause(queue, seenLate::add)) {
                await().untilAsserted(() -> assertThat(seenLate).containsExactly(OperatorPause.YES));
            }
            get(store.admin().resume(queue));
            await().untilAsserted(() ->
                    assertThat(seen).containsExactly(OperatorPause.NO, OperatorPause.YES, OperatorPause.NO));
            assertThat(get(store.inspector().pausedSince(queue))).isEmpty();
        }
    }
}
