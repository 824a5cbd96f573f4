package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.List;

/** Makes runs for the executor's tests. Only this package can. Tokens are 100 + offset. */
public final class TestRuns {

    /** The end of a lease that never runs out. */
    public static final long FOREVER = Long.MAX_VALUE;

    private TestRuns() {}

    /** A first attempt at a delivered task, with an endless lease. */
    public static Run of(Task task, long offset) {
        return of(task, offset, 1, FOREVER);
    }

    public static Run of(Task task, long offset, int attempt, long leaseUntil) {
        return run(task, offset, attempt, 0, offset, leaseUntil);
    }

    /** A second attempt at a task that the store had: it is not among the deliveries, so it has no sequence. */
    public static Run stored(Task task, long offset) {
        return run(task, offset, 2, 0, -1, FOREVER);
    }

    /** A run of the same task that begins when this one seems to be dead. */
    public static Run redelivered(Run run) {
        return new Run(
                run.partition(),
                run.position(),
                run.task(),
                run.token() + 1,
                run.attempt(),
                run.lapses() + 1,
                run.sequence(),
                FOREVER);
    }

    /** An attempt after this many lapsed claims. */
    public static Run lapsed(Task task, long offset, int lapses, long leaseUntil) {
        return run(task, offset, lapses + 1, lapses, offset, leaseUntil);
    }

    /**
     * First attempts at tasks of one key that a worker may begin one after another, until this time.
     *
     * @return the first run
     */
    public static Run row(List<Task> tasks, long until) {
        List<Row.Step> steps = new ArrayList<>();
        for (Task task : tasks) {
            Run run = of(task, steps.size());
            long offset = run.sequence();
            steps.add(new Row.Step(
                    run, new TaskEntry(run.position(), "k", offset, offset, offset, task, null, 0, false, null)));
        }
        Row unused = new Row("k", steps, until);
        return steps.get(0).run();
    }

    /** Returns the task as it runs again after this run, with the fan-outs that are noted. */
    public static Task again(Run run) {
        return FannedOut.with(run.task(), run.fanOuts());
    }

    /** Cancels the task of a run, as the core does. */
    public static void cancel(Run run) {
        run.cancel();
    }

    private static Run run(Task task, long offset, int attempt, int lapses, long sequence, long leaseUntil) {
        return new Run(
                Partition.of(task.queue(), 0),
                Position.of(1, offset),
                task,
                100 + offset,
                attempt,
                lapses,
                sequence,
                leaseUntil);
    }
}
