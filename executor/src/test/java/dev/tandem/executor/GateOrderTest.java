package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskRequest;
import dev.tandem.task.Publisher.Publication;
import dev.tandem.task.Task;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests the order of a queue's gates. Each has its reason where {@link Gates} makes it. */
class GateOrderTest {

    private static final class NoPublisher implements FanOutPublisher {
        @Override
        public boolean reaches(String queue) {
            return false;
        }

        @Override
        public Task encode(TaskRequest<?> request, String id, Map<String, String> headers) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Publication prepare(Task task) {
            throw new UnsupportedOperationException();
        }
    }

    private final RunnerFixture fixture = new RunnerFixture();

    private Gates gates(QueueSpec spec) {
        ExecutorLimits limits = new ExecutorLimits(
                "e1",
                10_000,
                fixture.clock,
                Map.of("orders", List.of(TaskLimit.ofQueue("orders", 1))),
                Map.of("orders", List.of(new TaskRate("mail", 10_000, 1, null, TaskPattern.ALL))));
        ExecutorContext with = TestContexts.of(fixture.clock, fixture.watchdog);
        ExecutorContext context = new ExecutorContext(
                with.executorId(),
                with.settings(),
                with.clock(),
                with.timings(),
                with.watchdog(),
                with.quarantine(),
                with.metrics(),
                with.memory(),
                with.random(),
                with.peers(),
                with.progress(),
                limits,
                with.pausedTasks(),
                with.shares());
        return Gates.of(spec, context, () -> {}, () -> {
            throw new AssertionError("no handler runs");
        });
    }

    @Test
    void aRunPassesTheGatesFromTheOrderOfItsKeyToItsPermit() {
        FanOuts fanOuts = new FanOuts(
                new ScriptedStore(), new NoPublisher(), FanOutPolicy.DEFAULTS, FanOutMetrics.NONE, fixture.clock);

        List<Gate> all = gates(RunnerFixture.queue()
                        .fanOuts(fanOuts)
                        .action("pay", task -> {})
                        .build())
                .inOrder();

        assertThat(all)
                .extracting(each -> (Object) each.getClass())
                .containsExactly(
                        GrowthGate.class,
                        DedupGate.class,
                        PauseGate.class,
                        FanOutGate.class,
                        DependencyGate.class,
                        RateGate.class,
                        PermitGate.class);
    }
}
