package dev.tandem.executor;

import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Task;
import org.jspecify.annotations.Nullable;

/**
 * The last gate of a queue whose tasks are pulled. It has no say about any task, but lets only as many tasks start as pull workers
 * ask for, and passes on to their desk what gates hear. Thread-safe.
 */
final class PullGate implements Gate {

    private final PullDesk desk;

    PullGate(PullDesk desk) {
        this.desk = desk;
    }

    PullDesk desk() {
        return desk;
    }

    @Override
    public boolean concerns(Task task) {
        return false;
    }

    @Override
    public boolean mustWait(Run run, Runnable goOn) {
        return false;
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

    @Override
    public int mostBehind() {
        return desk.wanted();
    }

    @Override
    public void recorded(RecordedEnd end) {
        desk.ends().recorded(end);
    }

    @Override
    public void refused(RefusedEnd end) {
        desk.ends().refused(end);
    }

    @Override
    public void turnAway() {
        desk.sendBack();
    }

    @Override
    public void close() {
        desk.close();
    }

    @Override
    public void leave(Partition partition) {
        desk.leave(partition);
    }

    @Override
    public void left(Partition partition) {
        desk.left(partition);
    }
}
