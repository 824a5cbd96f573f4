package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.Admin.Result;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes in a lane that is too long for one call of a script. */
class LongLaneIT extends OperatorTestBase {

    private static final int PARKED = 9_000;

    @Test
    void taskAnywhereInTheLaneIsFoundAndDeleted() {
        retryLater("k", 0);
        parkMany();
        schedule(20_000, FAR);
        for (long offset : new long[] {1, 4_321, PARKED}) {
            assertThat(get(store.inspector().task(partition, Position.of(0, offset)))
                            .orElseThrow()
                            .state())
                    .isEqualTo(TaskState.PARKED);
            assertThat(get(store.admin().retry(partition, Position.of(0, offset))))
                    .isEqualTo(Result.NOT_FOUND);
            assertThat(get(store.admin().delete(partition, Position.of(0, offset))))
                    .isEqualTo(Result.DONE);
            assertThat(get(store.inspector().task(partition, Position.of(0, offset)))
                            .orElseThrow()
                            .state())
                    .as("what is kept of it")
                    .isEqualTo(TaskState.CANCELLED);
        }
        assertThat(parked()).isEqualTo(PARKED - 3);
    }

    @Test
    void farOffTaskOfAKeyWithALongLaneIsFoundAndRunAtOnce() {
        retryLater("k", 0);
        parkMany();
        hand(List.of(entry(20_000, "k", new Move.Schedule(FAR))));
        hand(List.of(entry(20_001, "k", new Move.Schedule(FAR))));
        Position farOff = Position.of(0, 20_000);
        assertThat(get(store.inspector().task(partition, farOff)).orElseThrow().state())
                .isEqualTo(TaskState.SCHEDULED);
        assertThat(get(store.admin().delete(partition, farOff))).isEqualTo(Result.DONE);
        assertThat(get(store.admin().retry(partition, Position.of(0, 20_001)))).isEqualTo(Result.DONE);
        assertThat(offsets(TaskState.SCHEDULED)).containsExactly(20_001L);
    }

    @Test
    void wholeLaneDiesInOrderWhenItIsDrained() {
        halt("k", 0);
        parkMany();
        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.DONE);
        assertDrained(PARKED + 1);
    }

    @Test
    void waitingHeadDiesBeforeItsLane() {
        retryLater("k", 0);
        parkMany();
        assertThat(get(store.admin().drainKey(partition, "k", true))).isEqualTo(Result.DONE);
        assertDrained(PARKED + 1);
        assertThat(get(store.inspector().task(partition, Position.of(0, 0)))
                        .orElseThrow()
                        .envelope()
                        .error())
                .isEqualTo("drained by an operator before its next attempt, after: boom");
    }

    @Test
    void deadTaskDrainsItsLane() {
        retryLater("k", 0);
        parkMany();
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);
        long token = due().claimed().get(0).token();
        Verdict drain = new Verdict.Dead(DeadHead.DRAIN, envelope("k", token));
        assertThat(owner.settleAndClaim(
                                List.of(new Settle(Position.of(0, 0), token, "k", new SettledMark.Offset(0), drain, 0)),
                                List.of())
                        .settles())
                .as("what an outcome does is bounded")
                .containsExactly(SettleResult.Ok.PLAIN);
        assertThat(get(store.inspector().keys().find(partition, "k"))
                        .orElseThrow()
                        .reason())
                .isEqualTo(BlockReason.HALTED);
        assertThat(parked()).isBetween(PARKED - 1_000L, PARKED - 1L);

        get(housekeeper().trim(partition));
        assertDrained(PARKED + 1);
        assertThat(owner.renew().opened()).containsExactly("k");
    }

    @Test
    void headThatIsRetriedMeanwhileIsNotDrained() {
        retryLater("k", 0);
        parkMany();
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);
        long token = due().claimed().get(0).token();
        Verdict drain = new Verdict.Dead(DeadHead.DRAIN, envelope("k", token));
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, 0), token, "k", new SettledMark.Offset(0), drain, 0)), List.of());
        long left = parked();
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);

        get(housekeeper().trim(partition));
        assertThat(parked()).isEqualTo(left);
        assertThat(due().claimed()).extracting(task -> task.position()).containsExactly(Position.of(0, 0));
    }

    @Test
    void claimedTaskFarBackInItsLaneIsSkippedThere() {
        retryLater("k", 0);
        parkMany();
        Position farBack = Position.of(0, PARKED);
        long earlier = owner.nextToken();
        long later = owner.nextToken();
        owner.acquire(
                new PresentedClaim(farBack, earlier, "k", 0, SettledMark.NONE),
                new PresentedClaim(Position.of(0, 5), later, "k", 0, SettledMark.NONE));
        assertThat(parked()).as("nobody looks for it so far back").isEqualTo(PARKED - 1);

        Verdict drain = new Verdict.Dead(DeadHead.DRAIN, envelope("k", later));
        owner.settleAndClaim(List.of(new Settle(Position.of(0, 5), later, "k", SettledMark.NONE, drain, 0)), List.of());
        assertThat(get(store.admin().drainKey(partition, "k"))).isEqualTo(Result.DONE);

        assertThat(parked()).isZero();
        assertThat(offsets(TaskState.ACTIVE)).containsExactly((long) PARKED);
        Verdict success = new Verdict.Success(null);
        assertThat(owner.settleAndClaim(
                                List.of(new Settle(farBack, earlier, "k", SettledMark.NONE, success, 0)), List.of())
                        .settles())
                .containsExactly(SettleResult.Ok.PLAIN);
    }

    /** Each script is called by hand, so that an operator comes between two steps of one drain. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void headThatIsRetriedBetweenTwoStepsOfADrainRuns(boolean byHousekeeper) {
        retryLater("k", 0);
        parkMany();
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);
        long token = due().claimed().get(0).token();
        Verdict dead = new Verdict.Dead(byHousekeeper ? DeadHead.DRAIN : DeadHead.HALT, envelope("k", token));
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, 0), token, "k", new SettledMark.Offset(0), dead, 0)), List.of());
        byte[] goOn = drainStep(bytes(byHousekeeper ? ScriptCodes.GO_ON_NOTED : ""), ScriptCodes.CHANGE_UNFINISHED);
        long left = parked();
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);

        drainStep(goOn, ScriptCodes.CHANGE_NOT_FOUND);

        assertThat(parked()).isEqualTo(left);
        assertThat(due().claimed()).extracting(task -> task.position()).containsExactly(Position.of(0, 0));
        drainStep(goOn, byHousekeeper ? ScriptCodes.CHANGE_NOT_FOUND : ScriptCodes.CHANGE_ACTIVE);
        assertThat(parked()).isEqualTo(left);
    }

    /** Nobody has looked at the second death. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void drainDoesNotGoOnWhenItsHeadHasRunAndDiedAgain(boolean wasAlive) {
        retryLater("k", 0);
        parkMany();
        if (!wasAlive) {
            headRunsAndDies();
        }
        byte[] goOn =
                drainStep(bytes(""), ScriptCodes.CHANGE_UNFINISHED, bytes(wasAlive ? ScriptCodes.CHANGE_FORCED : ""));
        long left = parked();
        headRunsAndDies();

        drainStep(goOn, ScriptCodes.CHANGE_NOT_FOUND);

        assertThat(parked()).isEqualTo(left);
        KeyView key = get(store.inspector().keys().find(partition, "k")).orElseThrow();
        assertThat(key.reason()).isEqualTo(BlockReason.HALTED);
        assertThat(key.headTask().envelope().error()).isEqualTo("boom");
    }

    private void headRunsAndDies() {
        assertThat(get(store.admin().retryKey(partition, "k"))).isEqualTo(Result.DONE);
        long token = due().claimed().get(0).token();
        Verdict dead = new Verdict.Dead(DeadHead.HALT, envelope("k", token));
        owner.settleAndClaim(
                List.of(new Settle(Position.of(0, 0), token, "k", new SettledMark.Offset(0), dead, 0)), List.of());
    }

    /** The first step of the drain, the retry and the second step are sent in this order. */
    @Test
    void drainThatEndsEarlyIsDoneInPart() {
        halt("k", 0);
        parkMany();
        KeyView seen = get(store.inspector().keys().find(partition, "k")).orElseThrow();

        CompletableFuture<Result> drained = store.admin().drain(seen, false);
        assertThat(get(store.admin().retry(seen.headTask()))).isEqualTo(Result.DONE);

        assertThat(get(drained)).isEqualTo(Result.DONE_IN_PART);
        assertThat(parked()).isBetween(1L, PARKED - 1L);
    }

    private byte[] drainStep(byte[] goOn, int expected) {
        return drainStep(goOn, expected, bytes(""));
    }

    /** Calls the script of a drain once. Returns where it goes on. */
    private byte[] drainStep(byte[] goOn, int expected, byte[] force) {
        ReplyReader reply = new ReplyReader(get(store.adminConnection()
                .runScript(
                        Script.ADMINISTER,
                        partition,
                        bytes(RedisKeys.DEFAULTS.wakeChannel(partition)),
                        bytes("drain"),
                        bytes("k"),
                        bytes(Position.of(0, 0).text()),
                        force,
                        goOn)));
        assertThat(reply.count()).isEqualTo(expected);
        return reply.hasMore() ? reply.bytes() : goOn;
    }

    private static Housekeeper housekeeper() {
        return new Housekeeper(store.adminConnection(), store.admin(), Retention.DEFAULTS);
    }

    private void parkMany() {
        for (int from = 1; from <= PARKED; from += 1_000) {
            park("k", LongStream.range(from, from + 1_000).toArray());
        }
        assertThat(parked()).isEqualTo(PARKED);
        assertThat(get(store.inspector().keys().find(partition, "k"))
                        .orElseThrow()
                        .reason())
                .isIn(BlockReason.HEAD, BlockReason.HALTED);
    }

    private long parked() {
        return get(store.inspector().counts(partition)).tasks().get(TaskState.PARKED);
    }

    /** Dead tasks are listed latest first. */
    private void assertDrained(int dead) {
        assertThat(get(store.inspector().keys().find(partition, "k"))).isEmpty();
        assertThat(parked()).isZero();
        List<Long> died = new ArrayList<>();
        String cursor = null;
        do {
            ResultPage<TaskView> page = page(TaskState.DEAD, cursor, 1_000);
            died.addAll(offsets(page));
            cursor = page.next();
        } while (cursor != null);
        Collections.reverse(died);
        assertThat(died)
                .containsExactlyElementsOf(LongStream.range(0, dead).boxed().toList());
        assertThat(get(store.inspector().counts(partition)).totals()).containsEntry("dead", (long) dead);
    }
}
