package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.OperationBook;
import dev.tandem.scheduler.OperationTasks;
import dev.tandem.scheduler.OperationTasks.Done;
import dev.tandem.scheduler.OperationTasks.Found;
import dev.tandem.scheduler.OperationTasks.Stage;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.TaskChange;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationJson;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.OperationProgress.State;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Carries an operation out that this program has claimed. Used by one thread. */
final class OperationRun {

    /** The interval in which progress is noted. The claim holds for much longer. */
    private static final long NOTE_NANOS = 500_000_000L;

    /** The place of a partition with which the operation is done. */
    private static final String END = "end";

    /** Has executors cancel tasks that they run. */
    interface Canceller {
        /** Returns those of the tasks that their executors have cancelled. */
        Set<Position> cancel(Partition partition, Collection<Position> tasks);
    }

    /** The parts of the store that a run needs. */
    record Store(OperationBook book, OperationTasks tasks, Inspector inspector, Canceller running) {
        static Store of(RedisStore store) {
            return new Store(
                    store.serverRecords().operations(),
                    store.operationTasks(),
                    store.inspector(),
                    new RunningCancellation(store.runningTasks())::cancel);
        }
    }

    /** Counts tasks that were changed or refused. */
    interface Counter {
        void count(Operation operation, long changed, long refused);
    }

    private final Store store;
    private final OperationBook.Entry entry;
    /** Names what this operation has done in a partition, and not what an earlier one with its id did there. */
    private final String record;

    private final Operation operation;
    private final String program;
    private final BooleanSupplier closing;
    private final LongSupplier nanoTime;
    private final Counter counter;
    private final TaskChange change;
    private final List<Stage> stages;

    private OperationProgress progress = OperationProgress.NONE.in(State.RUNNING);
    private long notedAt;
    private boolean stopping;
    private boolean lost;

    /** @throws IllegalArgumentException if the operation has a time that cannot be read */
    OperationRun(
            Store store,
            OperationBook.Entry entry,
            Operation operation,
            String program,
            BooleanSupplier closing,
            LongSupplier nanoTime,
            Counter counter) {
        this.store = store;
        this.entry = entry;
        this.record = entry.name() + " " + entry.beganMicros();
        this.operation = operation;
        this.program = program;
        this.closing = closing;
        this.nanoTime = nanoTime;
        this.counter = counter;
        long began = entry.beganMicros() / 1_000;
        change = change(operation, began);
        stages = stages(operation);
        stopping = entry.stopping();
        notedAt = nanoTime.getAsLong();
    }

    private static TaskChange change(Operation operation, long began) {
        if (operation.dryRun()) {
            return new TaskChange.None();
        }
        return switch (operation.action()) {
            case RETRY -> new TaskChange.Retry();
            case CANCEL -> new TaskChange.Delete(Admin.Deletion.WAITING);
            case DELETE ->
                new TaskChange.Delete(
                        operation.selection().halting() ? Admin.Deletion.DEAD : Admin.Deletion.DEAD_NOT_HALTING);
            case SKIP -> new TaskChange.Skip();
            case RESCHEDULE -> new TaskChange.Reschedule(operation.dueAt(began));
        };
    }

    /**
     * Returns the stages of the tasks, in the order in which they are changed, so that a change puts no task where it would be
     * found again, and no task starts because the head of its key was cancelled before it.
     */
    static List<Stage> stages(Operation operation) {
        List<TaskState> states = operation.selection().states();
        List<Stage> all = operation.action() == Operation.Action.CANCEL
                ? List.of(Stage.PARKED, Stage.FAR, Stage.NEAR, Stage.RETRY, Stage.ACTIVE)
                : List.of(Stage.NEAR, Stage.FAR, Stage.RETRY, Stage.DEAD);
        return all.stream()
                .filter(stage -> states.contains(
                        switch (stage) {
                            case PARKED -> TaskState.PARKED;
                            case FAR, NEAR -> TaskState.SCHEDULED;
                            case RETRY -> TaskState.RETRY;
                            case ACTIVE -> TaskState.ACTIVE;
                            case DEAD -> TaskState.DEAD;
                        }))
                .toList();
    }

    /**
     * Runs until the operation has ended, another program has it, or this one closes.
     *
     * @return how the operation has ended; null if another program goes on with it
     */
    @Nullable
    OperationProgress run() {
        List<Partition> partitions = partitions();
        progress = sum(partitions);
        boolean noted = note();
        for (int i = 0; noted && i < partitions.size() && !ends(); i++) {
            Partition partition = partitions.get(i);
            progress = progress.at(partition.name(), i);
            if (run(partition)) {
                progress = progress.at(null, i + 1);
            }
        }
        if (lost) {
            return null;
        } else if (closing.getAsBoolean() && !isDone()) {
            await(store.book().giveUp(entry.name(), program, OperationJson.write(progress)));
            return null;
        }
        progress = progress.in(isDone() ? State.DONE : State.STOPPED);
        String end = OperationJson.write(progress);
        boolean ours = await(
                        operation.dryRun()
                                ? store.book().endCount(entry.name(), program, end)
                                : store.book().end(entry.name(), program, end))
                .ours();
        return ours ? progress : null;
    }

    private boolean isDone() {
        return progress.partitionsDone() == progress.partitions();
    }

    private boolean ends() {
        return stopping || lost || closing.getAsBoolean();
    }

    private List<Partition> partitions() {
        String only = operation.selection().partition();
        return only == null
                ? await(store.inspector().partitions(operation.queue()))
                : List.of(new Partition(operation.queue(), only));
    }

    /** Returns what was done before, by whichever program. */
    private OperationProgress sum(List<Partition> partitions) {
        OperationProgress sum = OperationProgress.NONE.in(State.RUNNING).of(partitions.size());
        if (entry.progress() != null) {
            for (Partition partition : partitions) {
                Done done = await(store.tasks().done(partition, record));
                sum = sum.plus(done.looked(), done.matched(), done.changed(), done.refused());
            }
        }
        return sum;
    }

    /** Runs in a partition. Returns whether it is done there. */
    private boolean run(Partition partition) {
        Done done = await(store.tasks().done(partition, record));
        while (!done.place().equals(END)) {
            if (ends()) {
                return false;
            }
            Optional<Done> after = step(partition, done);
            if (after.isPresent()) {
                count(done, after.get());
                done = after.get();
                noteNowAndThen();
            } else if (note()) {
                // A step of this program was made although its answer was lost.
                Done made = await(store.tasks().done(partition, record));
                count(done, made);
                done = made;
            }
        }
        return true;
    }

    private Optional<Done> step(Partition partition, Done done) {
        OperationPlace place = place(partition, done);
        OperationTasks.Page page = await(store.tasks()
                .page(partition, place.stage(), place.cursor().isEmpty() ? null : place.cursor(), entry.beganMicros()));
        Predicate<TaskInfo> chooser = operation.chooser(entry.beganMicros() / 1_000, place.lastToken());
        List<Found> chosen = new ArrayList<>();
        for (Found found : page.tasks()) {
            if (chooser.test(RedisInspection.info(found.task()))) {
                chosen.add(found);
            }
        }
        int behind = stages.indexOf(place.stage()) + 1;
        String next = page.next() != null
                ? place.with(place.stage(), page.next()).text()
                : behind < stages.size() ? place.with(stages.get(behind), "").text() : END;
        return await(store.tasks()
                .step(
                        partition,
                        record,
                        done,
                        changeAt(partition, place.stage(), chosen),
                        operation.dryRun() ? List.of() : chosen,
                        page.tasks().size(),
                        chosen.size(),
                        next));
    }

    /** Has executors cancel what they run before it is counted: nobody else can end a run. */
    private TaskChange changeAt(Partition partition, Stage stage, List<Found> chosen) {
        if (stage != Stage.ACTIVE || operation.dryRun()) {
            return change;
        }
        return new TaskChange.CancelRunning(store.running()
                .cancel(
                        partition,
                        chosen.stream().map(each -> each.task().position()).toList()));
    }

    private OperationPlace place(Partition partition, Done done) {
        if (!done.place().isEmpty()) {
            return OperationPlace.parse(done.place(), entry.beganMicros());
        }
        // The clock of the partition's node may differ from that of the operation's, and tokens follow it.
        long token = await(store.tasks().highestToken(partition));
        return new OperationPlace(stages.get(0), "", token == 0 ? entry.beganMicros() : token);
    }

    private void count(Done before, Done after) {
        long changed = after.changed() - before.changed();
        long refused = after.refused() - before.refused();
        progress =
                progress.plus(after.looked() - before.looked(), after.matched() - before.matched(), changed, refused);
        counter.count(operation, changed, refused);
    }

    private void noteNowAndThen() {
        if (nanoTime.getAsLong() - notedAt >= NOTE_NANOS) {
            note();
        }
    }

    /** Notes the progress. Returns whether this program still has the claim. */
    private boolean note() {
        notedAt = nanoTime.getAsLong();
        OperationBook.Noted noted = await(store.book().note(entry.name(), program, OperationJson.write(progress)));
        lost = !noted.ours();
        stopping |= noted.stopping();
        return noted.ours();
    }
}
