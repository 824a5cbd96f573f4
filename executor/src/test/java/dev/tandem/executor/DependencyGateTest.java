package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.store.DedupModel;
import dev.tandem.task.store.DependencyRequest;
import dev.tandem.task.store.DependencyStore;
import dev.tandem.task.store.Store;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests what an executor asks about tasks that wait for others and tells of them, over the model of the store. */
class DependencyGateTest {

    private static final long HOUR = 3_600_000;

    private static final BusinessId OTHER = new BusinessId("orders", "other");

    private static final class WaitStore implements Store {
        private final DedupModel model = new DedupModel();
        private final List<DependencyRequest> requests = new ArrayList<>();
        private long now = 1_800_000_000_000L;
        private int failsFrom = Integer.MAX_VALUE;

        @Override
        public DependencyStore dependencies() {
            return (bucket, asked) -> {
                if (requests.size() >= failsFrom) {
                    return CompletableFuture.failedFuture(new IllegalStateException("no connection"));
                }
                requests.addAll(asked);
                return CompletableFuture.completedFuture(
                        asked.stream().map(each -> model.apply(each, now)).toList());
            };
        }

        @Override
        public Link link(Partition partition, Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private final ManualClock clock = new ManualClock();
    private final WaitStore store = new WaitStore();
    private final QueueSpec spec = RunnerFixture.queue()
            .store(store)
            .timeoutLimit(Duration.ZERO)
            .action("pay", task -> {})
            .build();
    private final List<Runnable> repeats = new ArrayList<>();
    private final DependencyGate gate =
            new DependencyGate(spec, clock, new BucketSender<>(DependencyGate.buckets(spec), clock, repeats::add));
    private final Run run = TestRuns.of(task("run", "1m"), 5);
    private final TaskPlace waiter = run.place();
    private int wentOn;

    private static Task task(String policy, String timeout) {
        Map<String, String> headers = Map.of(
                TaskHeaders.DEPENDS_ON, "other",
                TaskHeaders.DEPENDS_POLICY, policy,
                TaskHeaders.DEPENDS_TIMEOUT, timeout);
        return new Task(null, "orders", "pay", "k", new byte[0], headers, 0, 0, 0, 0, null);
    }

    /** Asks about the run. @return what becomes of it; null if it goes to its handler */
    private @Nullable Outcome asks() {
        assertThat(gate.mustWait(run, () -> wentOn++)).isTrue();
        return gate.takeOutcome(run);
    }

    @Test
    void aTaskThatItsPolicyReleasedIsKnownToWaitNoMore() {
        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        assertThat(store.model.dependentsOf(OTHER)).containsExactly(waiter);

        store.now += 60_000;
        assertThat(asks()).isNull();

        assertThat(wentOn).isEqualTo(2);
        assertThat(store.model.dependentsOf(OTHER))
                .as("else it would be woken out of the delay of its next attempt, or taken for a part of a cycle")
                .isEmpty();

        store.requests.clear();
        assertThat(asks()).as("its next attempt").isNull();
        assertThat(store.requests).as("is known already").hasSize(1);
    }

    @Test
    void aReleasedTaskRunsAlsoIfTheStoreDoesNotAnswerInTime() {
        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        store.now += 60_000;
        store.failsFrom = store.requests.size() + 1;

        assertThat(gate.mustWait(run, () -> wentOn++)).isTrue();
        assertThat(wentOn).as("the store does not know yet").isEqualTo(1);
        clock.advance(10_000);
        repeats.remove(0).run();

        assertThat(wentOn).isEqualTo(2);
        assertThat(gate.takeOutcome(run)).isNull();
    }

    private void ends(Run itsRun, Outcome outcome) {
        AtomicBoolean mayBeRecorded = new AtomicBoolean();
        gate.ended(itsRun, outcome, () -> mayBeRecorded.set(true));
        assertThat(mayBeRecorded).isTrue();
    }

    @Test
    void anEndThatIsNotRecordedDoesNotMakeTheTaskWaitAgain() {
        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        store.now += 60_000;
        assertThat(asks()).as("its policy lets it run").isNull();

        ends(run, Outcome.Succeeded.INSTANCE);

        Run again = TestRuns.of(run.task(), 5, 2, TestRuns.FOREVER);
        assertThat(gate.mustWait(again, () -> wentOn++)).isTrue();
        assertThat(gate.takeOutcome(again))
                .as("it was cut off, and the next run goes on")
                .isNull();
    }

    @Test
    void aTaskWhoseEndIsRecordedIsForgotten() {
        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        ends(run, new Outcome.Dead("the last attempt"));
        assertThat(store.model.dependentsOf(OTHER)).containsExactly(waiter);

        gate.recorded(new RecordedEnd(run.partition(), run.token() + 1));
        assertThat(store.model.dependentsOf(OTHER)).as("that was another run").containsExactly(waiter);
        gate.recorded(new RecordedEnd(run.partition(), run.token()));
        assertThat(store.model.dependentsOf(OTHER)).isEmpty();
    }

    @Test
    void itIsRememberedThatATaskWaitsNoMoreForAsLongAsItsRunMayTake() {
        Task task = task("run", "1m");
        Run slow = TestRuns.of(
                new Task(null, "orders", "pay", "k", new byte[0], task.headers(), 0, 0, 4 * HOUR, 0, null), 5);
        gate.mustWait(slow, () -> wentOn++);
        assertThat(gate.takeOutcome(slow)).isInstanceOf(Outcome.Snoozed.class);
        store.now += 60_000;
        gate.mustWait(slow, () -> wentOn++);
        assertThat(gate.takeOutcome(slow)).isNull();

        store.now += 4 * HOUR;
        ends(slow, new Outcome.Retry(1_000, "no answer"));
        store.now += 1_000;
        gate.mustWait(slow, () -> wentOn++);

        assertThat(gate.takeOutcome(slow)).as("its next attempt").isNull();
    }

    @Test
    void tasksThatWaitAreCountedForAsLongAsTheyLookAgain() {
        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        store.now += 2_000;
        clock.advance(2_000);
        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        clock.advance(500);
        assertThat(gate.dependents().count()).isEqualTo(1);
        assertThat(gate.dependents().oldestMillis()).isEqualTo(2_500);

        clock.advance(Dependents.LATE_MILLIS + 1_000);
        assertThat(gate.dependents().count()).as("another executor has it").isZero();
        assertThat(gate.dependents().oldestMillis()).isZero();

        assertThat(asks()).isInstanceOf(Outcome.Snoozed.class);
        clock.advance(1_000);
        assertThat(gate.dependents().count()).isEqualTo(1);
        store.now += 60_000;
        assertThat(asks()).isNull();
        clock.advance(1_000);
        assertThat(gate.dependents().count()).as("it runs").isZero();
    }
}
