package dev.tandem.benchmarks;

import dev.tandem.ordering.Commands;
import dev.tandem.ordering.CoreSettings;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the time of the ordering core per task, with a store that answers at once and handlers that end at once. It
 * needs no broker and no Redis.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class CoreBenchmark {

    private static final int TASKS = 2_000;
    private static final int CONCURRENCY = 1_000;
    private static final Partition PARTITION = new Partition("bench", "0");

    /** The distribution of the tasks' keys. */
    @Param({"DISTINCT", "ZIPF"})
    private String keys = "DISTINCT";

    private final Random random = new Random(7);
    private final RecordedCommands commands = new RecordedCommands();
    private QueueCore core = newCore();
    private long offset;
    private long now;

    private static QueueCore newCore() {
        return new QueueCore(Source.Kind.LOG, QueuePolicy.ordered(CONCURRENCY), CoreSettings.DEFAULTS, "bench");
    }

    /** Acquires the partition. */
    @Setup(Level.Trial)
    public void acquire() {
        core = newCore();
        core.clock(now, now);
        core.assigned(PARTITION, new Source.Facts(1, "topic", 0, 0), "writer");
        core.storeUp(PARTITION);
        runUntil(0);
    }

    /** Delivers tasks and runs the core until all are committed. */
    @Benchmark
    @OperationsPerInvocation(TASKS)
    public long tasks() {
        List<Delivery> deliveries = new ArrayList<>(TASKS);
        KeyDistribution distribution = KeyDistribution.valueOf(keys);
        for (int i = 0; i < TASKS; i++) {
            String key = distribution.key(random, (int) (offset % 1_000_000));
            deliveries.add(Delivery.of(offset++, Task.of("bench", key, new byte[0])));
        }
        core.delivered(PARTITION, deliveries, offset);
        runUntil(offset);
        return commands.committed;
    }

    private void runUntil(long committed) {
        for (int turns = 0; commands.committed < committed || !commands.open; turns++) {
            if (turns > 100 * TASKS) {
                throw new IllegalStateException("The core makes no progress: " + core);
            }
            now++;
            core.clock(now, now);
            core.flush(commands);
            for (Run run = commands.runs.poll(); run != null; run = commands.runs.poll()) {
                for (Run each = run; each != null; ) {
                    Run next = each.beginNext(now);
                    core.finished(each, Outcome.Succeeded.INSTANCE);
                    each = next;
                }
            }
            for (StoreRequest sent = commands.sent.poll(); sent != null; sent = commands.sent.poll()) {
                core.answered(sent, answer(sent));
            }
            if (commands.asked > commands.committed) {
                commands.committed = commands.asked;
                core.committed(PARTITION, commands.committed);
            }
        }
    }

    private static StoreAnswer answer(StoreRequest request) {
        if (request instanceof StoreRequest.Acquire) {
            return new StoreAnswer.Acquired(
                    1_000, "run", 1, 0, 0, List.of(), List.of(), List.of(), 0, -1, -1, 0, List.of());
        }
        if (request instanceof StoreRequest.SettleAndClaim step) {
            return new StoreAnswer.SettledAndClaimed(
                    Collections.nCopies(step.settles().size(), StoreAnswer.SettleResult.Ok.PLAIN),
                    Collections.nCopies(step.claims().size(), StoreAnswer.ClaimResult.Ok.FIRST));
        }
        if (request instanceof StoreRequest.RenewLeases) {
            return new StoreAnswer.LeasesRenewed(
                    "run", List.of(), List.of(), -1, -1, StoreAnswer.Custody.NONE, 0, StoreAnswer.TokenTime.NONE, true);
        }
        if (request instanceof StoreRequest.RecordCommit) {
            return StoreAnswer.Ok.NOTHING_DUE;
        }
        throw new IllegalStateException("No answer is defined for " + request);
    }

    /** Records the commands of the core. */
    private static final class RecordedCommands implements Commands {
        private final ArrayDeque<StoreRequest> sent = new ArrayDeque<>();
        private final ArrayDeque<Run> runs = new ArrayDeque<>();
        private boolean open;
        private long asked;
        private long committed;

        @Override
        public void send(StoreRequest request) {
            sent.add(request);
        }

        @Override
        public void reach(Partition partition) {}

        @Override
        public void start(Run run) {
            runs.add(run);
        }

        @Override
        public void commit(Partition partition, long upTo) {
            asked = upTo;
        }

        @Override
        public void open(Partition partition) {
            open = true;
        }

        @Override
        public void ack(Partition partition, Collection<Long> sequences) {}

        @Override
        public void recall(Partition partition, Recall recall) {}

        @Override
        public void pause(Partition partition) {}

        @Override
        public void resume(Partition partition) {}

        @Override
        public void rewind(Partition partition) {}

        @Override
        public void cutRecorded(Partition partition) {}

        @Override
        public void confirm(Partition partition) {}

        @Override
        public void left(Partition partition) {}
    }
}
