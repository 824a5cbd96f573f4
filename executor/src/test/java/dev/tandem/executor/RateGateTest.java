package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Task;
import dev.tandem.task.store.LimitRequest;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateModel;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.Store;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When tasks of rate limits begin. */
class RateGateTest {

    private final ManualClock clock = new ManualClock();
    private final RateModel model = new RateModel();
    private final Deque<Runnable> answers = new ArrayDeque<>();
    private final Map<Run, Long> begun = new HashMap<>();
    private final Map<Run, Outcome> away = new HashMap<>();
    private int calls;
    private boolean fails;
    private final List<Runnable> watches = new ArrayList<>();
    private long offset;

    private final class ModelStore extends LimitsOnlyStore {
        @Override
        public CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
            calls++;
            CompletableFuture<List<RateAnswer>> future = new CompletableFuture<>();
            if (fails) {
                answers.add(() -> future.completeExceptionally(new IllegalStateException("away")));
            } else {
                List<RateAnswer> given = requests.stream()
                        .map(each -> model.apply(each, clock.nanos() / 1_000))
                        .toList();
                answers.add(() -> future.complete(given));
            }
            return future;
        }

        @Override
        public AutoCloseable watchRate(String limit, Runnable listener) {
            watches.add(listener);
            return () -> watches.remove(listener);
        }
    }

    private final class Member {
        private final Store store = new ModelStore();
        private final Rates rates = new Rates(store, 40_000, clock, () -> {});
        private final RateGate gate;

        private Member(TaskRate... limits) {
            QueueSpec spec = RunnerFixture.queue().store(store).build();
            gate = new RateGate(spec, rates, List.of(limits), () -> {}, run -> false);
        }

        private Run starts(String key) {
            Task task = new Task(null, "orders", "ship", key, new byte[0], Map.of("tenant", key), 0, 0, 0, 0, null);
            Run run = TestRuns.of(task, ++offset);
            assertThat(gate.mustWait(run, () -> decided(run))).isTrue();
            return run;
        }

        private void decided(Run run) {
            Outcome outcome = gate.takeOutcome(run);
            if (outcome == null) {
                begun.put(run, clock.nanos());
            } else {
                away.put(run, outcome);
                gate.ended(run, outcome, () -> {});
            }
        }
    }

    private static TaskRate perSecond(int rate, int burst, String per) {
        return new TaskRate("erp", 1_000_000 / rate, burst, per, TaskPattern.ALL);
    }

    private void pass(long millis, Member... members) {
        for (long i = 0; i < millis; i++) {
            while (!answers.isEmpty()) {
                answers.remove().run();
            }
            for (Member each : members) {
                each.rates.tick();
            }
            clock.advance(1);
        }
    }

    @Test
    void tasksBeginAtTheirRateBehindTheBurst() {
        Member member = new Member(perSecond(100, 3, null));
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            runs.add(member.starts("k"));
        }
        pass(1, member);
        assertThat(begun).hasSize(3);
        pass(52, member);
        assertThat(begun).hasSize(8);
        assertThat(calls).as("for all of them together").isLessThanOrEqualTo(2);
        assertThat(runs).isSortedAccordingTo((a, b) -> Long.compare(begun.get(a), begun.get(b)));
    }

    @Test
    void aRunThatGoesAwayForWantOfAPermitUsesNoToken() {
        Member member = new Member(perSecond(100, 3, null));
        Run run = TestRuns.of(RunnerFixture.task("ship", ""), 1);
        RateGate gate = new RateGate(
                RunnerFixture.queue().store(member.store).build(),
                member.rates,
                List.of(perSecond(100, 3, null)),
                () -> {},
                asked -> true);

        assertThat(gate.mustWait(run, () -> {})).isFalse();
        assertThat(calls).isZero();
    }

    @Test
    void aLateAnswerDoesNotLetTasksBeginCloserTogether() {
        Member member = new Member(perSecond(100, 1, null));
        for (int i = 0; i < 200; i++) {
            member.starts("k");
        }
        for (int i = 0; i < 2_000; i++) {
            boolean slow = i % 500 > 300;
            if (!slow) {
                pass(1, member);
            } else {
                member.rates.tick();
                clock.advance(1);
            }
        }
        List<Long> times = begun.values().stream().sorted().toList();
        assertThat(times).hasSizeGreaterThan(100);
        for (int i = 0; i + 10 < times.size(); i++) {
            assertThat(times.get(i + 10) - times.get(i))
                    .as("eleven tasks from task %s on", i)
                    .isGreaterThanOrEqualTo(70_000_000);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void executorsTogetherNeverStartMoreThanTheRateAllows(long seed) {
        Random random = new Random(seed);
        int rate = 10 + random.nextInt(400);
        int burst = 1 + random.nextInt(5);
        TaskRate limit = perSecond(rate, burst, null);
        Member[] members = {new Member(limit), new Member(limit), new Member(limit)};
        for (int i = 0; i < 3_000; i++) {
            for (Member each : members) {
                if (each.gate.waiting() < 20 && random.nextInt(3) == 0) {
                    each.starts("k");
                }
            }
            fails = random.nextInt(20) == 0;
            pass(1, members);
        }
        List<Long> times = begun.values().stream().sorted().toList();
        long interval = limit.intervalMicros() * 1_000;
        for (int from = 0; from < times.size(); from += 7) {
            for (int to = from; to < times.size(); to += 11) {
                long allowed = (times.get(to) - times.get(from)) / interval + burst + 1;
                // A token is used within a tenth of a second behind its time.
                long late = 100_000_000 / interval + 1;
                assertThat((long) to - from + 1).as("seed %s", seed).isLessThanOrEqualTo(allowed + late);
            }
        }
        assertThat(times).as("of %s", rate * 3).hasSizeGreaterThan(rate * 3 * 4 / 5);
        assertThat(times).hasSizeLessThanOrEqualTo(rate * 3 + burst + rate / 4);
    }

    @Test
    void aKeyDoesNotWaitForAnother() {
        Member member = new Member(perSecond(1, 1, TaskRate.PER_KEY));
        Run first = member.starts("a");
        Run second = member.starts("b");
        pass(2, member);
        assertThat(begun).containsKeys(first, second);
        Run third = member.starts("a");
        pass(2, member);
        assertThat(begun).doesNotContainKey(third);
        pass(1_000, member);
        assertThat(begun).containsKey(third);
    }

    @Test
    void whatWouldWaitForLongComesAgainWhenItIsItsTurn() {
        Member member = new Member(perSecond(1, 1, "tenant"));
        for (int i = 0; i < 2; i++) {
            member.starts("a");
        }
        pass(2, member);
        Run third = member.starts("a");
        Run fourth = member.starts("a");
        assertThat(away).containsKeys(third, fourth);
        long delay = ((Outcome.Snoozed) away.get(third)).delayMillis();
        assertThat(delay).isBetween(1_000L, 4_000L);
        assertThat(((Outcome.Snoozed) away.get(fourth)).delayMillis()).isGreaterThan(delay + 500);
    }

    @Test
    void aBacklogLongerThanTheLongestWaitKeepsItsRate() {
        Member member = new Member(new TaskRate("erp", 12_000_000, 1, "tenant", TaskPattern.ALL));
        for (int i = 0; i < 100; i++) {
            member.starts("a");
        }
        Map<Run, Long> returns = new HashMap<>();
        int seconds = 0;
        for (; begun.size() < 100 && seconds < 3_600; seconds++) {
            for (int i = 0; i < 50; i++) {
                pass(1, member);
                clock.advance(19);
                away.forEach(
                        (run, outcome) -> returns.put(run, clock.millis() + ((Outcome.Snoozed) outcome).delayMillis()));
                away.clear();
                List<Run> due = returns.keySet().stream()
                        .filter(each -> returns.get(each) <= clock.millis())
                        .toList();
                due.forEach(each -> {
                    returns.remove(each);
                    member.starts("a");
                });
            }
        }
        assertThat(begun).hasSize(100);
        assertThat(seconds).as("seconds at five a minute").isBetween(1_180, 1_320);
    }

    @Test
    void aKeyForWhichARunWaitsForLongDoesNotKeepAllOthersInMemory() {
        TaskRate limit = new TaskRate("erp", 3_600_000_000L, 1, TaskRate.PER_KEY, TaskPattern.ALL);
        Member member = new Member(limit);
        member.starts("first");
        pass(2, member);
        Run second = member.starts("first");
        pass(2, member);
        for (int i = 0; i < 10_500; i++) {
            member.starts("k" + i);
            if (i % 100 == 99) {
                pass(3, member);
            }
        }
        pass(10, member);
        assertThat(begun).hasSize(10_501).doesNotContainKey(second);
        assertThat(member.gate.waiting()).isEqualTo(1);
        assertThat(member.rates.limit(limit).buckets()).isBetween(1_000, 10_000);
    }

    @Test
    void aHandlersSlowDownPausesItsBucketOnlyAndInAllExecutors() {
        TaskRate limit = perSecond(100, 1, TaskRate.PER_KEY);
        Member one = new Member(limit);
        Member two = new Member(limit);
        Run run = one.starts("a");
        pass(2, one, two);
        one.gate.ended(run, new Outcome.Snoozed(700, true), () -> {});
        pass(5, one, two);

        Run here = one.starts("a");
        Run there = two.starts("a");
        Run other = two.starts("b");
        pass(600, one, two);
        assertThat(begun).containsKey(other).doesNotContainKeys(here, there);
        pass(200, one, two);
        assertThat(begun).containsKeys(here, there);
    }

    @Test
    void otherExecutorsHearOfASlowDownAlsoWhenTheFirstCallFails() {
        TaskRate limit = perSecond(100, 1, TaskRate.PER_KEY);
        Member one = new Member(limit);
        Member two = new Member(limit);
        Run run = one.starts("a");
        pass(2, one, two);
        fails = true;
        calls = 0;
        one.gate.ended(run, new Outcome.Snoozed(1_000, true), () -> {});
        pass(100, one, two);
        assertThat(calls).as("not again at once").isEqualTo(1);
        fails = false;
        pass(150, one, two);

        Run there = two.starts("a");
        pass(700, one, two);
        assertThat(begun).doesNotContainKey(there);
        pass(100, one, two);
        assertThat(begun).as("no longer than it was to be").containsKey(there);
    }

    @Test
    void aLimitOfTheWholeQueueBoundsWhatIsStarted() {
        Member member = new Member(perSecond(10, 1, null));
        assertThat(member.gate.mostRuns()).isEqualTo(10);
        Run run = member.starts("k");
        pass(2, member);
        assertThat(begun).containsKey(run);
        assertThat(member.gate.mostRuns()).as("besides the one that runs").isEqualTo(11);
    }

    @Test
    void aHigherRateLetsTasksBeginThatWaitAndBoundsWhatIsStarted() {
        Member member = new Member(new TaskRate("erp", 3_600_000_000L, 1, null, TaskPattern.ALL));
        List<Run> runs = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            runs.add(member.starts("k"));
        }
        pass(1_000, member);
        assertThat(begun).as("one in an hour").hasSize(1);

        model.override(new LimitRequest.Rate(10_000, 1));
        watches.forEach(Runnable::run);
        pass(50, member);

        assertThat(begun).hasSize(5);
        assertThat(member.gate.mostRuns()).isEqualTo(105);
        model.override(null);
        watches.forEach(Runnable::run);
        member.starts("k"); // A token may be left for this one.
        Run late = member.starts("k");
        pass(1_000, member);
        assertThat(begun).as("the rate of the settings holds again").doesNotContainKey(late);
        assertThat(member.gate.mostRuns()).isLessThan(10);
        member.rates.close();
        assertThat(watches).isEmpty();
    }

    @Test
    void runsThatWaitGoBackWhenTheQueueStops() {
        Member member = new Member(perSecond(1, 1, null));
        member.starts("k");
        Run second = member.starts("k");
        pass(2, member);
        member.gate.close();
        assertThat(away.get(second)).isEqualTo(Outcome.NotStarted.INSTANCE);
        Run late = member.starts("k");
        assertThat(away.get(late)).isEqualTo(Outcome.NotStarted.INSTANCE);
        assertThat(member.gate.waiting()).isZero();
    }
}
