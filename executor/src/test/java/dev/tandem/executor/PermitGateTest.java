package dev.tandem.executor;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.PermitRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When tasks of limits run, wait, or are sent away. */
class PermitGateTest {

    private static final long LEASE = 10_000;

    private final ManualClock clock = new ManualClock();
    private final List<Run> again = new ArrayList<>();
    private final Set<Run> interrupted = new HashSet<>();
    private final AskedLimits store = new AskedLimits();
    private final Deque<PermitRequest> asked = store.asked;
    private final Permits permits = new Permits("one", store, LEASE, clock);
    private int wakes;
    private long offset;

    private PermitGate gate(TaskLimit... limits) {
        QueueSpec spec =
                RunnerFixture.queue().store(store).action("ship", task -> {}).build();
        return new PermitGate(spec, permits, List.of(limits), clock, () -> wakes++, interrupted::addAll);
    }

    private static TaskLimit ofType(String name, String type, int max) {
        return new TaskLimit(name, max, new TaskPattern(List.of(type), List.of()));
    }

    private Run run(String type) {
        Task task = new Task(null, "orders", type, "k", new byte[0], Map.of(), 0, 0, 0, 0, null);
        return TestRuns.of(task, ++offset);
    }

    private boolean mustWait(PermitGate gate, Run run) {
        return gate.mustWait(run, () -> again.add(run));
    }

    private void answer(int held) {
        store.answer(held);
    }

    private static void end(PermitGate gate, Run run) {
        gate.ended(run, Outcome.Succeeded.INSTANCE, () -> {});
    }

    @Test
    void theNextRunGetsThePermitOfOneThatHasEndedWithoutARequest() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run first = run("ship");
        Run second = run("ship");
        assertThat(mustWait(gate, first)).isTrue();
        assertThat(mustWait(gate, second)).isTrue();
        assertThat(asked.remove()).satisfies(request -> {
            assertThat(request.limit()).isEqualTo("queue:orders");
            assertThat(request.wanted()).isEqualTo(1);
            assertThat(request.used()).isZero();
        });
        answer(1);
        assertThat(again).containsExactly(first);
        assertThat(gate.mayRun(first)).isTrue();
        int requests = asked.size();

        end(gate, first);

        assertThat(again).containsExactly(first, second);
        assertThat(asked).hasSize(requests);
    }

    @Test
    void aLimitOfTheWholeQueueBoundsWhatIsStarted() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 9));
        assertThat(gate.mostRuns()).isEqualTo(2);
        mustWait(gate, run("ship"));
        answer(3);
        assertThat(gate.mostRuns()).isEqualTo(8);
        assertThat(wakes).isPositive();
    }

    @Test
    void aCancelledTaskWaitsNoLongerForItsPermit() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run first = run("ship");
        Run second = run("ship");
        mustWait(gate, first);
        mustWait(gate, second);
        clock.advance(250);

        TestRuns.cancel(second);
        permits.tick();

        assertThat(again).containsExactly(second);
        assertThat(gate.mayRun(second)).isFalse();
        assertThat(gate.waiting()).isEqualTo(1);
    }

    @Test
    void tasksThatNoLimitCoversAreNotAsked() {
        PermitGate gate = gate(ofType("erp", "export", 1));
        assertThat(gate.concerns(run("ship").task())).isFalse();
        assertThat(gate.concerns(run("export").task())).isTrue();
        assertThat(gate.mostRuns()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void whereOthersMayRunOnlyAFewWaitAndTheRestGoesAwayForAWhile() {
        PermitGate gate = gate(ofType("erp", "export", 1));
        List<Run> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            waiting.add(run("export"));
            assertThat(mustWait(gate, waiting.get(i))).isTrue();
        }
        assertThat(gate.waiting()).isEqualTo(4);
        gate.eachWaiting((run, reason) -> {
            assertThat(waiting).contains(run);
            assertThat(reason).isEqualTo(new WaitReason.Permits(List.of("erp")));
        });
        assertThat(again).isEmpty();

        Run first = run("export");
        Run second = run("export");
        mustWait(gate, first);
        mustWait(gate, second);

        assertThat(again).containsExactly(first, second);
        assertThat(gate.mayRun(first)).isFalse();
        assertThat(gate.takeOutcome(first)).isInstanceOfSatisfying(Outcome.Snoozed.class, away -> {
            assertThat(away.delayMillis()).isBetween(1_000L, 2_000L);
            assertThat(away.waitsFor()).isEqualTo(new WaitReason.Permits(List.of("erp")));
        });
        assertThat(((Outcome.Snoozed) gate.takeOutcome(second)).delayMillis())
                .as("behind the first")
                .isGreaterThan(((Outcome.Snoozed) gate.takeOutcome(first)).delayMillis());
        assertThat(gate.waiting()).isEqualTo(4);
    }

    @Test
    void aRunGetsThePermitsOfAllItsLimitsOrNone() {
        PermitGate gate = gate(ofType("a", "export", 1), ofType("b", "*", 1));
        Run export = run("export");
        Run ship = run("ship");
        assertThat(mustWait(gate, export)).isTrue();
        answer(1);
        assertThat(again).as("without a permit of b").isEmpty();
        assertThat(permits.status()).allMatch(each -> each.used() == 0);
        answer(1);
        assertThat(again).containsExactly(export);

        assertThat(mustWait(gate, ship)).isTrue();
        end(gate, export);
        assertThat(again).containsExactly(export, ship);
    }

    @Test
    void runsThatWaitGoBackWhenTheQueueIsPausedOrStops() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run paused = run("ship");
        mustWait(gate, paused);
        gate.turnAway();
        assertThat(again).containsExactly(paused);
        assertThat(gate.takeOutcome(paused)).isEqualTo(Outcome.NotStarted.INSTANCE);

        gate.close();
        Run late = run("ship");
        mustWait(gate, late);
        assertThat(again).containsExactly(paused, late);
        assertThat(gate.takeOutcome(late)).isEqualTo(Outcome.NotStarted.INSTANCE);
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void aRunThatIsTurnedAwayJustBeforeItAsksTakesNoPermit() throws Exception {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run first = run("ship");
        mustWait(gate, first);
        answer(1);
        end(gate, first);
        Run second = run("ship");
        CompletableFuture<Boolean> waits;
        synchronized (permits) {
            waits = CompletableFuture.supplyAsync(() -> mustWait(gate, second));
            while (gate.waiting() == 0) {
                Thread.onSpinWait();
            }
            gate.turnAway();
        }
        assertThat(waits.get(60, TimeUnit.SECONDS)).isTrue();
        assertThat(again).containsExactly(first, second);
        assertThat(gate.takeOutcome(second)).isEqualTo(Outcome.NotStarted.INSTANCE);
        end(gate, second);
        assertThat(permits.status()).allMatch(each -> each.used() == 0 && each.waiting() == 0);

        Run third = run("ship");
        assertThat(mustWait(gate, third)).as("the permit is free").isFalse();
    }

    @Test
    void aRunWhoseClaimIsLostDoesNotWait() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run run = TestRuns.of(RunnerFixture.task("ship", ""), 1, 1, clock.millis() + 100);
        mustWait(gate, run);
        clock.advance(50);
        permits.tick();
        assertThat(again).isEmpty();
        clock.advance(300);
        permits.tick();
        assertThat(again).containsExactly(run);
    }

    @Test
    void handlersAreInterruptedWhenTheirPermitsAreNotConfirmedForALease() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run run = run("ship");
        mustWait(gate, run);
        answer(1);
        clock.advance(LEASE - LEASE / 10 - 1);
        permits.tick();
        assertThat(interrupted).isEmpty();
        clock.advance(1);
        permits.tick();
        assertThat(interrupted).containsExactly(run);
        assertThat(permits.status()).containsExactly(new LimitStatus("queue:orders", 1, 0, 1, 0));
    }

    @Test
    void handlersAreInterruptedAlsoWhenTheAnswerComesFirstAfterTheProcessStoodStill() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run run = run("ship");
        mustWait(gate, run);
        answer(1);
        clock.advance(2 * LEASE);
        mustWait(gate, run("ship"));
        assertThat(gate.hasLost(run)).isTrue();
        answer(0);
        assertThat(interrupted).containsExactly(run);

        interrupted.clear();
        permits.tick();
        assertThat(interrupted).as("once").isEmpty();
    }

    @Test
    void handlersGoOnWhenTheStoreConfirmsTheirPermitsAfterTheProcessStoodStill() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run run = run("ship");
        mustWait(gate, run);
        answer(1);
        clock.advance(2 * LEASE);
        mustWait(gate, run("ship"));
        answer(1);
        permits.tick();
        assertThat(interrupted).isEmpty();
        assertThat(gate.hasLost(run)).isFalse();
    }

    @Test
    void aPermitIsAskedForAndGivenOnlyWhenAThreadIsFree() {
        PermitGate gate = gate(ofType("erp", "export", 1));
        gate.threads().take(4);
        Run run = run("export");
        mustWait(gate, run);
        assertThat(asked).as("requests without a thread").isEmpty();

        gate.threads().giveBack();
        assertThat(asked).hasSize(1);
        gate.threads().take(1);
        answer(1);
        assertThat(again).as("runs without a thread").isEmpty();
        assertThat(permits.status()).allMatch(each -> each.used() == 0);

        gate.threads().giveBack();
        assertThat(again).containsExactly(run);
        assertThat(permits.status()).allMatch(each -> each.used() == 1);
    }

    @Test
    void aRunThatHasWaitedForLongForSeveralLimitsGetsTheirNextPermits() {
        PermitGate gate = gate(ofType("second", "*b", 1), ofType("first", "a*", 1));
        Run first = run("a");
        Run second = run("b");
        mustWait(gate, first);
        mustWait(gate, second);
        answer(1);
        answer(1);
        Run both = run("ab");
        Run nextFirst = run("a");
        Run nextSecond = run("b");
        List.of(both, nextFirst, nextSecond).forEach(each -> mustWait(gate, each));
        clock.advance(LongWaits.OLD_MILLIS);
        permits.tick();

        end(gate, first);
        assertThat(again).as("the permit is set aside").containsExactly(first, second);
        end(gate, second);
        assertThat(again).containsExactly(first, second, both);
        end(gate, both);
        assertThat(again).containsExactly(first, second, both, nextFirst, nextSecond);
    }

    @Test
    void aPermitThatWasSetAsideIsFreeAgainWhenItsRunGoesAway() {
        PermitGate gate = gate(ofType("first", "a*", 1), ofType("second", "*b", 1));
        Run first = run("a");
        mustWait(gate, first);
        answer(1);
        Run both = run("ab");
        Run next = run("a");
        mustWait(gate, both);
        mustWait(gate, next);
        clock.advance(LongWaits.OLD_MILLIS);
        permits.tick();
        end(gate, first);
        assertThat(again).containsExactly(first);

        permits.turnAway(List.of(requireNonNull(gate.applicant(both))), Outcome.NotStarted.INSTANCE);
        permits.tick();
        assertThat(again).containsExactly(first, both, next);
    }

    @Test
    void runsOfAPartitionThatIsGivenUpGoBack() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run waits = run("ship");
        mustWait(gate, waits);

        gate.leave(waits.partition());
        Run late = run("ship");
        mustWait(gate, late);
        assertThat(again).containsExactly(waits, late);
        assertThat(gate.takeOutcome(waits)).isEqualTo(Outcome.NotStarted.INSTANCE);
        assertThat(gate.takeOutcome(late)).isEqualTo(Outcome.NotStarted.INSTANCE);

        gate.left(waits.partition());
        mustWait(gate, run("ship"));
        assertThat(gate.waiting()).isEqualTo(1);
    }

    @Test
    void aRunWithATokenOfItsRateLimitIsNotSentAwayBehindIt() {
        PermitGate gate = gate(ofType("erp", "export", 1));
        Run early = run("export");
        assertThat(gate.sendsAway(early)).isFalse();
        for (int i = 0; i < 4; i++) {
            mustWait(gate, run("export"));
        }
        Run late = run("export");
        assertThat(gate.sendsAway(late)).isTrue();
        assertThat(gate.takeOutcome(late)).isInstanceOf(Outcome.Snoozed.class);

        assertThat(mustWait(gate, early)).isTrue();
        assertThat(again).isEmpty();
    }

    @Test
    void permitsAreGivenBackAtTheEndAndNotKeptForALease() {
        PermitGate gate = gate(TaskLimit.ofQueue("orders", 1));
        Run run = run("ship");
        mustWait(gate, run);
        answer(1);
        end(gate, run);
        asked.clear();

        CompletableFuture<Void> closes = CompletableFuture.runAsync(permits::close);
        await().until(() -> !asked.isEmpty());
        assertThat(asked.remove()).satisfies(request -> {
            assertThat(request.kept()).isZero();
            assertThat(request.wanted()).isZero();
        });
        answer(0);
        assertThat(closes).succeedsWithin(Duration.ofSeconds(60));
    }
}
