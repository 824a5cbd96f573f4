package dev.tandem.executor;

import dev.tandem.ordering.Run;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives the runs of a queue to its workers: at once, or when their batch is complete; or to the desk of its pull workers. Used by
 * the loop's thread only.
 *
 * <p>A run that waits holds its slot. So nothing waits once all slots are taken: a batch is given to the workers then, however
 * short it is, and other tasks do not wait behind it. Only first attempts are collected. A task that has failed, or whose
 * executor died, runs alone, so that it cannot take others with it again.
 */
final class RunStarter {

    private final QueueSpec spec;
    private final WorkerPool workers;
    private final Gates gates;
    private final Consumer<Run> again;
    private final Function<RunBatch, Run> batches;
    private final boolean collects;
    /** Null if the workers of this process run the tasks. */
    private final @Nullable PullDesk desk;

    private final BatchCollector collector = new BatchCollector();
    private boolean stopping;

    /**
     * Makes a starter.
     *
     * @param again receives a run, on any thread, that may be started now
     * @param batches keeps a batch for the worker that gets the returned run
     */
    RunStarter(QueueSpec spec, WorkerPool workers, Gates gates, Consumer<Run> again, Function<RunBatch, Run> batches) {
        this.spec = spec;
        this.workers = workers;
        this.gates = gates;
        this.again = again;
        this.batches = batches;
        this.collects = spec.handlers().hasBatches();
        this.desk = gates.desk();
    }

    /** Starts runs. */
    void start(Collection<Run> runs, long now) {
        if (desk != null) {
            desk.offer(runs.stream()
                    .filter(run -> run.isCancelled() || !gates.mustWait(run, () -> again.accept(run)))
                    .toList());
            return;
        } else if (!collects) {
            workers.start(runs);
            return;
        }
        List<Run> alone = new ArrayList<>();
        for (Run run : runs) {
            // A batch must not wait for an answer about one of its tasks. Others are asked about by the worker.
            if (gates.mustWait(run, () -> again.accept(run))) {
                continue;
            }
            boolean mayWait = !stopping && run.attempt() == 1 && gates.mayRun(run);
            BatchedHandler handler = mayWait ? spec.handlers().batchOf(run.task()) : null;
            if (handler == null) {
                alone.add(run);
            } else {
                collector.add(handler, run, spec.timeoutMillisOf(run.task()), now);
            }
        }
        if (!alone.isEmpty()) {
            workers.start(alone);
        }
    }

    /**
     * Gives the batches to the workers that are due.
     *
     * @param full whether runs have all slots, those that wait included. Slots that are only held for claims on their way are free
     */
    void startDue(long now, boolean full) {
        if (collects) {
            give(full ? collector.takeAll() : collector.takeDue(now));
        }
    }

    /** Gives all runs that wait to the workers, and collects none from now on. */
    void stop() {
        stopping = true;
        give(collector.takeAll());
    }

    private void give(List<RunBatch> ready) {
        if (!ready.isEmpty()) {
            workers.start(ready.stream().map(batches).toList());
        }
    }

    /** Returns when {@link #startDue} is due without any event. */
    long nextDue() {
        return collects ? collector.nextDue() : BatchCollector.NEVER;
    }

    /** Returns the number of runs that wait for others of their batch. */
    int waiting() {
        return collector.waiting();
    }
}
