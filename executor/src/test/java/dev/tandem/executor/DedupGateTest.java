package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.Handler;
import dev.tandem.ordering.Arrival;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ask;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.DedupRequest.Tell;
import dev.tandem.task.store.TaskRelations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what an executor asks about tasks with deduplication keys, and when. */
class DedupGateTest {

    private static final DedupAnswer GO = DedupAnswer.Go.INSTANCE;

    private final RunnerFixture fixture = new RunnerFixture();
    private final DedupStore store = new DedupStore();
    private final List<Runnable> repeats = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private final List<Run> again = new ArrayList<>();
    private Handler.Action handler = task -> events.add("ran " + task.id());
    private DedupPolicy policy = DedupPolicy.DEFAULT;
    private TaskRunner runner;
    private DedupGate gate;

    private void build() {
        QueueSpec spec = RunnerFixture.queue()
                .store(store)
                .relations(TaskRelations.DEFAULT.with(policy))
                .maxAttempts(2)
                .action("pay", task -> handler.run(task))
                .build();
        ExecutorContext context =
                TestContexts.of(fixture.clock, fixture.watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE);
        gate = new DedupGate(
                spec, fixture.clock, new BucketSender<>(DedupGate.buckets(spec), fixture.clock, repeats::add));
        runner = new TaskRunner(
                spec,
                context,
                fixture.counters,
                new Gates(List.of(gate)),
                again::add,
                (run, outcome) -> events.add("ended " + outcome.getClass().getSimpleName()));
    }

    private static Task task() {
        return task(Map.of());
    }

    private static Task task(Map<String, String> headers) {
        return new Task(null, "orders", "pay", "k", new byte[0], headers, 0, 0, 0, 0, "order-7");
    }

    private void arrives(Run run) {
        gate.arrived(new Arrival(run.partition(), run.position(), run.task(), false));
        gate.flush();
    }

    private void runs(Run run) {
        runner.run(run, fixture.slot);
    }

    private DedupRequest lastRequest() {
        return store.calls.get(store.calls.size() - 1).get(0);
    }

    @Test
    void anAnswerFromTheArrivalSparesTheWait() {
        build();
        Run run = TestRuns.of(task(), 5);
        arrives(run);
        store.answer(GO);

        runs(run);

        assertThat(events).containsExactly("ran orders:0:5");
        assertThat(store.calls).hasSize(2);
        assertThat(lastRequest()).isInstanceOfSatisfying(Tell.class, told -> {
            assertThat(told.ending()).isEqualTo(Ending.SUCCEEDED);
            assertThat(told.task().place()).isEqualTo("0/1:5");
        });
        store.answer(DedupAnswer.Noted.INSTANCE);
        assertThat(events)
                .as("recorded only when the store knows")
                .containsExactly("ran orders:0:5", "ended Succeeded");
    }

    @Test
    void anOldAnswerIsAskedForAgain() {
        build();
        Run run = TestRuns.of(task(), 5);
        arrives(run);
        store.answer(GO);
        fixture.clock.advance(31_000);

        runs(run);
        assertThat(events).isEmpty();
        assertThat(again).isEmpty();
        assertThat(lastRequest())
                .isInstanceOfSatisfying(
                        Ask.class, ask -> assertThat(ask.begins()).isTrue());
        store.answer(new DedupAnswer.Duplicate("other"));
        assertThat(again).containsExactly(run);
        runs(run);

        assertThat(events).containsExactly("ended Duplicate");
        assertThat(fixture.counters.duplicates.sum()).isEqualTo(1);
        assertThat(store.calls).as("of a duplicate nothing is told").hasSize(2);
    }

    @Test
    void aTaskThatMayBeSupersededIsAskedForInAnyCase() {
        policy = new DedupPolicy(Mode.KEEP_LAST, 0, true, 0, true, 60_000);
        build();
        Run run = TestRuns.of(task(), 5);
        arrives(run);
        store.answer(GO);

        runs(run);
        assertThat(events).isEmpty();
        store.answer(new DedupAnswer.Wait(700));
        runs(run);

        assertThat(events).containsExactly("ended Snoozed");
    }

    @Test
    void aTaskSaysItselfWhichOneRunsAndForHowLongItsKeyIsTaken() {
        build();
        Task task = task(Map.of(TaskHeaders.DEDUP_MODE, "keep-last", TaskHeaders.DEDUP_WINDOW, "5000"));
        Run run = TestRuns.of(task, 5);
        arrives(run);
        store.answer(GO);
        runs(run);
        assertThat(events).as("it may be superseded").isEmpty();
        assertThat(lastRequest()).isInstanceOfSatisfying(Ask.class, ask -> {
            assertThat(ask.policy().mode()).isEqualTo(Mode.KEEP_LAST);
            assertThat(ask.policy().windowMillis()).isEqualTo(5_000);
            assertThat(ask.policy().lostAfterMillis()).isEqualTo(policy.lostAfterMillis());
        });
        assertThat(TaskDedupPolicy.of(
                        task(Map.of(TaskHeaders.DEDUP_MODE, "both", TaskHeaders.DEDUP_WINDOW, "1h")), policy))
                .as("as an executor of an earlier version kept them")
                .isEqualTo(policy);
    }

    @Test
    void aTaskThatHadSucceededBeforeEndsAtOnce() {
        build();
        Run run = TestRuns.of(task(), 5);
        runs(run);
        store.answer(DedupAnswer.Done.INSTANCE);
        runs(run);
        assertThat(events).containsExactly("ended Duplicate");
    }

    @Test
    void aDeathIsToldAndAFailureIsNot() {
        build();
        handler = task -> {
            throw new IllegalStateException("again");
        };
        Run first = TestRuns.of(task(), 5);
        runs(first);
        store.answer(GO);
        runs(first);
        assertThat(events).containsExactly("ended Retry");
        assertThat(store.calls).hasSize(1);

        handler = task -> {
            throw new FatalTaskException("never");
        };
        Run second = TestRuns.of(task(), 6);
        runs(second);
        store.answer(GO);
        runs(second);
        assertThat(lastRequest())
                .isInstanceOfSatisfying(
                        Tell.class, told -> assertThat(told.ending()).isEqualTo(Ending.FAILED));
        store.answer(DedupAnswer.Noted.INSTANCE);
        assertThat(events).containsExactly("ended Retry", "ended Dead");
    }

    @Test
    void withoutAnAnswerTheTaskIsTriedAgainLater() {
        build();
        Run run = TestRuns.of(task(), 5);
        runs(run);
        store.fail();
        repeats.remove(0).run();
        assertThat(again).as("it is asked again").isEmpty();
        fixture.clock.advance(10_000);
        store.fail();

        assertThat(again).containsExactly(run);
        runs(run);
        assertThat(events).containsExactly("ended Snoozed");
    }

    @Test
    void anEndThatCannotBeToldIsRecordedAndToldLater() {
        build();
        Run run = TestRuns.of(task(), 5);
        runs(run);
        store.answer(GO);
        runs(run);
        fixture.clock.advance(10_000);
        store.fail();
        assertThat(events).containsExactly("ran orders:0:5", "ended Succeeded");

        repeats.remove(0).run();
        assertThat(lastRequest()).isInstanceOf(Tell.class);
        assertThat(store.calls).hasSize(3);
    }

    @Test
    void requestsOfAKeyGoInOrderAndTogetherWhileACallIsUnderWay() {
        build();
        arrives(TestRuns.of(task(), 5));
        arrives(TestRuns.of(task(), 6));
        arrives(TestRuns.of(task(), 7));
        assertThat(store.calls).hasSize(1);
        store.fail();
        repeats.remove(0).run();
        assertThat(store.calls.get(1))
                .as("all in their order")
                .extracting(each -> each.task().position())
                .containsExactly(Position.of(1, 5), Position.of(1, 6), Position.of(1, 7));
        store.answer(GO, GO, GO);
        assertThat(store.calls).hasSize(2);
    }

    @Test
    void aRequestThatTheStoreRefusesHoldsUpNoOther() {
        build();
        Run refused = TestRuns.of(task(), 5);
        Run other = TestRuns.of(task(), 6);
        arrives(TestRuns.of(task(), 7));
        runs(refused);
        runs(other);
        store.answer(GO);
        store.refuse();
        assertThat(store.calls.get(2)).as("they are sent one by one").hasSize(1);
        store.refuse();
        store.answer(GO);

        assertThat(again).containsExactly(refused, other);
        again.forEach(this::runs);
        assertThat(events).containsExactly("ended Snoozed", "ran orders:0:6");
        arrives(TestRuns.of(task(), 8));
        arrives(TestRuns.of(task(), 9));
        store.answer(DedupAnswer.Noted.INSTANCE);
        assertThat(store.calls.get(store.calls.size() - 1))
                .as("those that come later go together again")
                .hasSize(2);
        assertThat(repeats).as("nothing waits for a repetition").isEmpty();
    }

    @Test
    void anArrivalIsNotAskedForAfterAPause() {
        build();
        arrives(TestRuns.of(task(), 5));
        arrives(TestRuns.of(task(), 6));
        fixture.clock.advance(10_000);
        store.fail();
        repeats.remove(0).run();
        assertThat(store.calls).as("the partition may have another owner").hasSize(1);

        arrives(TestRuns.of(task(), 7));
        arrives(TestRuns.of(task(), 8));
        fixture.clock.advance(10_000);
        store.answer(GO);
        assertThat(store.calls).as("nor after one of the process").hasSize(2);
    }

    @Test
    void aRunSaysItsTokenWhenItBeginsAndWhenItEnds() {
        build();
        Run run = TestRuns.of(task(), 5);
        arrives(run);
        assertThat(lastRequest().task().token()).isZero();
        store.fail();
        runs(run);
        repeats.remove(0).run();
        store.answer(GO, GO);
        assertThat(store.calls.get(1).get(1).task().token()).isEqualTo(run.token());
        runs(run);
        assertThat(lastRequest())
                .isInstanceOfSatisfying(
                        Tell.class, told -> assertThat(told.task().token()).isEqualTo(run.token()));
    }

    @Test
    void aTaskThatHadSucceededBeforeHasNotExpired() {
        build();
        Task late = task(Map.of(TaskHeaders.EXPIRES_AT, "2000-01-01T00:00:00Z"));
        Run run = TestRuns.of(late, 5);
        runs(run);
        store.answer(DedupAnswer.Done.INSTANCE);
        runs(run);
        assertThat(events).containsExactly("ended Duplicate");
    }

    @Test
    void aTaskWithoutAKeyIsNotAskedFor() {
        build();
        Run run = TestRuns.of(Task.of("orders", "k", new byte[0]).withType("pay"), 5);
        runs(run);
        assertThat(events).containsExactly("ran orders:0:5", "ended Succeeded");
        assertThat(store.calls).isEmpty();
    }

    @Test
    void aRowStopsAtATaskThatMustBeAskedFor() {
        build();
        Run first =
                TestRuns.row(List.of(Task.of("orders", "k", new byte[0]).withType("pay"), task()), TestRuns.FOREVER);
        runs(first);
        assertThat(events).containsExactly("ran orders:0:0", "ended Succeeded");
        store.answer(GO);
        assertThat(again).hasSize(1);
        runs(again.get(0));
        assertThat(events).containsExactly("ran orders:0:0", "ended Succeeded", "ran orders:0:1");
    }
}
