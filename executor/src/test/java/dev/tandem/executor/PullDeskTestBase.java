package dev.tandem.executor;

import static dev.tandem.executor.RunnerFixture.queue;
import static dev.tandem.executor.RunnerFixture.task;

import dev.tandem.api.RetryPolicy;
import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.PullPolicy;
import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TestRuns;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** A desk of pull workers, driven by hand in place of a queue's loop. */
abstract class PullDeskTestBase {

    static final Partition P0 = Partition.of("orders", 0);

    final RunnerFixture fixture = new RunnerFixture();
    final ManualClock clock = fixture.clock;
    /** The outcomes by offset. */
    final Map<Long, Outcome> outcomes = new LinkedHashMap<>();

    /** The measured starts and outcomes. */
    final List<String> measured = new ArrayList<>();

    private final ExecutorMetrics metrics = new ExecutorMetrics() {
        @Override
        public void started(String queue, long waitMillis) {
            measured.add("start");
        }

        @Override
        public void concluded(String queue, Outcome outcome) {
            measured.add(outcome.getClass().getSimpleName());
        }
    };

    final PullDesk desk = desk(queue());

    private PullDesk desk(QueueSpec.Builder builder) {
        ExecutorContext context = TestContexts.of(clock, fixture.watchdog, TestContexts.TIMINGS, metrics);
        QueueSpec spec = builder.retry(RetryPolicy.fixed(Duration.ofSeconds(3)))
                .timeout(Duration.ofMinutes(1))
                .pulled(PullPolicy.DEFAULTS)
                .build();
        PullDesk made = new PullDesk(spec, PullPolicy.DEFAULTS, context, () -> {});
        made.runBy(new TaskRunner(
                spec,
                context,
                fixture.counters,
                Gates.of(spec, clock),
                again -> {},
                (run, outcome) -> outcomes.put(run.sequence(), outcome)));
        return made;
    }

    static Run run(long offset) {
        return TestRuns.of(task("pay", "p" + offset, "k" + offset), offset);
    }

    /** Offers runs, as many as were wanted. */
    void offer(int count) {
        desk.offer(IntStream.range(0, count).mapToObj(PullDeskTestBase::run).toList());
    }

    static LeaseCall call(int max) {
        return new LeaseCall(max, 1 << 20, 20_000, 0, "w1");
    }

    LeasedTask leaseOne(Run run) {
        CompletableFuture<List<LeasedTask>> answer = desk.lease(call(1));
        desk.offer(List.of(run));
        return answer.join().get(0);
    }

    LeaseName leased() {
        return leaseOne(run(1)).lease();
    }

    CompletableFuture<LeaseAnswer> apply(LeaseName lease, LeaseRequest request) {
        return desk.apply(lease, request);
    }

    void recorded(long offset) {
        desk.ends().recorded(new RecordedEnd(P0, 100 + offset));
    }
}
