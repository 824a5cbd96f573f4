package dev.tandem.verify.worker;

import dev.tandem.api.FatalTaskException;
import dev.tandem.api.Handler;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.api.TaskRequest;
import dev.tandem.kit.JsonLinesLog;
import dev.tandem.verify.load.FanTasks;
import dev.tandem.verify.load.FeatureTasks;
import dev.tandem.verify.load.HandlerInstruction;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A handler that does what the payload says, and records its runs. */
final class RecordingHandler implements Handler {

    private final String process;
    private final JsonLinesLog<Event> log;
    private final WorkerOrders orders;
    private final ObservedStore store;
    /** The active runs, each with the end of its lease as last seen. */
    private final Map<TaskContext, Long> running = new ConcurrentHashMap<>();

    private final Path outageFile;
    private final Effects effects;
    private final SteppingWork stepping;
    private volatile boolean outage;

    RecordingHandler(
            String process,
            JsonLinesLog<Event> log,
            WorkerOrders orders,
            ObservedStore store,
            Path outageFile,
            Effects effects) {
        this.effects = effects;
        this.process = process;
        this.outageFile = outageFile;
        this.log = log;
        this.orders = orders;
        this.store = store;
        this.stepping = new SteppingWork(process, log);
    }

    @Override
    public Result handle(TaskContext task) throws Exception {
        if (effects == Effects.NONE) {
            started(task);
            return run(task, () -> {});
        }
        Effects.Transaction transaction;
        try {
            transaction = effects.begin(task);
        } catch (SQLException e) {
            started(task);
            ended(task, Ending.FAILED);
            throw e;
        }
        try (transaction) {
            if (transaction.isFirst()) {
                started(task);
                return run(task, transaction::commit);
            }
            // A first attempt was a copy from the outbox: the task has ended. A later one ends what was cut off after
            // its commit.
            if (task.attempt() > 1) {
                started(task);
                ended(task, Ending.SUCCEEDED);
            }
            return Result.done();
        }
    }

    /** The result that ends a successful run. */
    private interface Commit {
        void run() throws SQLException;
    }

    private void started(TaskContext task) {
        long lease = leaseUntil(task);
        running.put(task, lease);
        ObservedStore.ClaimOrigin origin = store.takeOrigin(task.token());
        log.write(new Event.RunStarted(
                System.nanoTime(),
                process,
                task.id(),
                task.key(),
                task.token(),
                task.attempt(),
                lease,
                origin.partition(),
                origin.epoch(),
                origin.requestedAt()));
    }

    private Result run(TaskContext task, Commit commit) throws Exception {
        try {
            if (outage) {
                throw new IllegalStateException("What handlers call is away");
            }
            HandlerInstruction instruction = HandlerInstruction.of(task.payload());
            if (FeatureTasks.savesCheckpoints(task.id())) {
                stepping.run(task, instruction);
                commit.run();
                ended(task, Ending.SUCCEEDED);
                return Result.done();
            }
            TimeUnit.MILLISECONDS.sleep(instruction.millis());
            fanOut(task);
            Result result = switch (instruction.outcome()) {
                case SUCCEED -> Result.done();
                case FAIL_ONCE -> {
                    if (task.attempt() == 1) {
                        throw new IllegalStateException("The payload says so");
                    }
                    yield Result.done();
                }
                case DIE -> throw new FatalTaskException("The payload says so");
            };
            commit.run();
            ended(task, Ending.SUCCEEDED);
            return result;
        } catch (InterruptedException e) {
            ended(task, Ending.STOPPED);
            throw e;
        } catch (FatalTaskException e) {
            ended(task, Ending.DEAD);
            throw e;
        } catch (RuntimeException | SQLException e) {
            ended(task, task.isLastAttempt() ? Ending.DEAD : Ending.FAILED);
            throw e;
        }
    }

    private void fanOut(TaskContext task) throws InterruptedException {
        Stream<TaskRequest<?>> subtasks = FanTasks.subtasksOf(task.id(), task.queue());
        if (subtasks != null) {
            task.fanOut(subtasks, FanTasks.plan(task.id(), task.queue()));
        }
        task.fanOutResult()
                .ifPresent(result -> log.write(new Event.FanOutResulted(
                        System.nanoTime(),
                        process,
                        task.id(),
                        result.state().name(),
                        result.subtasks(),
                        result.succeeded(),
                        result.failed(),
                        result.cancelled())));
    }

    private void ended(TaskContext task, Ending ending) {
        running.remove(task);
        log.write(new Event.RunFinished(System.nanoTime(), process, task.id(), task.token(), ending));
        orders.reached(WorkerOrders.FreezePoint.SETTLE);
    }

    /** Looks whether all attempts are to fail. */
    void pollOutage() {
        outage = Files.exists(outageFile);
    }

    /** Records renewals of the leases of active runs. */
    void pollLeases() {
        running.forEach((task, seen) -> {
            long lease = leaseUntil(task);
            // Leases are known in milliseconds, so an unchanged one may seem to move a little.
            if (lease > seen + TimeUnit.MILLISECONDS.toNanos(5) && running.replace(task, seen, lease)) {
                log.write(new Event.LeaseRenewed(System.nanoTime(), process, task.id(), task.token(), lease));
            }
        });
    }

    /** Returns the end of the lease by the clock of events. Tries again if the process was frozen in between. */
    private static long leaseUntil(TaskContext task) {
        while (true) {
            long before = System.nanoTime();
            long until = before + task.leaseRemaining().toNanos();
            if (System.nanoTime() - before < TimeUnit.MILLISECONDS.toNanos(1)) {
                return until;
            }
        }
    }
}
