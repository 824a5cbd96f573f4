package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import dev.tandem.task.store.DedupAnswer;
import dev.tandem.task.store.DedupModel;
import dev.tandem.task.store.DedupPolicy;
import dev.tandem.task.store.DedupPolicy.Mode;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.TaskRelations;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that tasks of one deduplication key do not run side by side, however long they wait at the gates behind it. */
class DedupLongWaitTest {

    private static final long LOST_AFTER = 120_000;
    private static final long TIMEOUT = 60_000;

    /** Keeps runs back until the test lets them pass, as one does that waits for permits. */
    private static final class LaterGate implements Gate {
        private final Map<Run, Runnable> waiting = new HashMap<>();
        private final Set<Run> passed = new HashSet<>();

        void pass(Run run) {
            passed.add(run);
            waiting.remove(run).run();
        }

        @Override
        public boolean concerns(Task task) {
            return true;
        }

        @Override
        public boolean mustWait(Run run, Runnable goOn) {
            if (passed.contains(run)) {
                return false;
            }
            waiting.put(run, goOn);
            return true;
        }

        @Override
        public boolean mayRun(Run run) {
            return true;
        }

        @Override
        public @Nullable Outcome takeOutcome(Run run) {
            return null;
        }

        @Override
        public void ended(Run run, Outcome outcome, Runnable then) {
            then.run();
        }
    }

    private final class ModelStore implements Store {
        private final DedupModel model = new DedupModel();
        private int requests;

        @Override
        public CompletionStage<List<DedupAnswer>> dedup(String queue, int bucket, List<DedupRequest> asked) {
            requests += asked.size();
            return CompletableFuture.completedFuture(asked.stream()
                    .map(each -> model.apply(queue, each, fixture.clock.wallMillis()))
                    .toList());
        }

        @Override
        public Link link(Partition partition, Listener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {}
    }

    private final RunnerFixture fixture = new RunnerFixture();
    private final ModelStore store = new ModelStore();
    private final LaterGate later = new LaterGate();
    private final List<String> events = new ArrayList<>();
    private final Deque<Run> again = new ArrayDeque<>();
    private Runnable during = () -> {};
    private final QueueSpec spec = RunnerFixture.queue()
            .store(store)
            .relations(TaskRelations.DEFAULT.with(new DedupPolicy(Mode.FIRST, 0, true, 0, true, LOST_AFTER)))
            .timeout(Duration.ofMillis(TIMEOUT))
            .action("pay", task -> {
                events.add("begins " + task.id());
                during.run();
                events.add("ends " + task.id());
            })
            .build();
    private final TaskRunner runner = new TaskRunner(
            spec,
            TestContexts.of(fixture.clock, fixture.watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE),
            fixture.counters,
            new Gates(List.of(
                    new DedupGate(
                            spec,
                            fixture.clock,
                            new BucketSender<>(DedupGate.buckets(spec), fixture.clock, none -> {})),
                    later)),
            again::add,
            (run, outcome) -> events.add(outcome.getClass().getSimpleName()));
    private final Run first = TestRuns.of(task(), 5);
    private final Run second = TestRuns.of(task(), 6);

    private static Task task() {
        return new Task(null, "orders", "pay", "k", new byte[0], Map.of(), 0, 0, 0, 0, "order-7");
    }

    /** Gives a run to a worker, again when it need not wait any more. */
    private void runs(Run run) {
        for (Run next = run; next != null; next = again.poll()) {
            runner.run(next, fixture.slot);
        }
    }

    private void passes(Run run) {
        later.pass(run);
        runs(again.remove());
    }

    @Test
    void aRunThatHasLostItsKeyWhileItWaitedDoesNotRunBesideTheOther() {
        runs(first);
        fixture.clock.advance(LOST_AFTER + 1);
        runs(second);
        during = () -> passes(first);
        passes(second);

        assertThat(events).containsExactly("begins orders:0:6", "Duplicate", "ends orders:0:6", "Succeeded");
    }

    @Test
    void aRunThatHasWaitedKeepsItsKeyForAsLongAsItMayRun() {
        runs(first);
        fixture.clock.advance(LOST_AFTER - 1);
        during = () -> {
            fixture.clock.advance(TIMEOUT);
            runs(second);
        };
        passes(first);

        assertThat(events).containsExactly("begins orders:0:5", "Duplicate", "ends orders:0:5", "Succeeded");
    }

    @Test
    void aRunThatHasWaitedForAShortTimeIsNotAskedAboutAgain() {
        runs(first);
        fixture.clock.advance(LOST_AFTER - TIMEOUT - 30_000);
        passes(first);

        assertThat(events).containsExactly("begins orders:0:5", "ends orders:0:5", "Succeeded");
        assertThat(store.requests).as("a question and the end").isEqualTo(2);
    }
}
