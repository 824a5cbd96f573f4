package dev.tandem.verify.worker;

import dev.tandem.executor.FatalTaskException;
import dev.tandem.executor.Handler;
import dev.tandem.executor.Result;
import dev.tandem.executor.TaskContext;
import dev.tandem.verify.load.HandlerInstruction;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Ending;
import dev.tandem.verify.record.EventLog;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The handler: does what the payload says, and records that it did. */
final class RecordingHandler implements Handler {

    private final String process;
    private final EventLog log;
    private final WorkerOrders moments;
    private final ObservedStore claims;
    /** What runs, and until when its lease was seen to last. */
    private final Map<TaskContext, Long> running = new ConcurrentHashMap<>();

    RecordingHandler(String process, EventLog log, WorkerOrders moments, ObservedStore claims) {
        this.process = process;
        this.log = log;
        this.moments = moments;
        this.claims = claims;
    }

    @Override
    public Result handle(TaskContext task) throws Exception {
        long lease = leaseUntil(task);
        running.put(task, lease);
        ObservedStore.ClaimOrigin claim = claims.take(task.token());
        log.write(new Event.RunStarted(
                System.nanoTime(),
                process,
                task.id(),
                task.key(),
                task.token(),
                task.attempt(),
                lease,
                claim.partition(),
                claim.epoch(),
                claim.askedAt()));
        try {
            HandlerInstruction deed = HandlerInstruction.of(task.payload());
            TimeUnit.MILLISECONDS.sleep(deed.millis());
            Result result = switch (deed.what()) {
                case SUCCEED -> Result.done();
                case FAIL_ONCE -> {
                    if (task.attempt() == 1) {
                        throw new IllegalStateException("as asked");
                    }
                    yield Result.done();
                }
                case DIE -> throw new FatalTaskException("as asked");
            };
            ended(task, Ending.SUCCEEDED);
            return result;
        } catch (InterruptedException e) {
            ended(task, Ending.STOPPED);
            throw e;
        } catch (FatalTaskException e) {
            ended(task, Ending.DEAD);
            throw e;
        } catch (RuntimeException e) {
            ended(task, task.isLastAttempt() ? Ending.DEAD : Ending.FAILED);
            throw e;
        }
    }

    private void ended(TaskContext task, Ending ending) {
        running.remove(task);
        log.write(new Event.RunFinished(System.nanoTime(), process, task.id(), task.token(), ending));
        moments.reached(WorkerOrders.FreezePoint.SETTLE);
    }

    /** Looks at the leases of what runs. */
    void look() {
        running.forEach((task, seen) -> {
            long lease = leaseUntil(task);
            // Milliseconds, so the same lease may look like another one.
            if (lease > seen + TimeUnit.MILLISECONDS.toNanos(5) && running.replace(task, seen, lease)) {
                log.write(new Event.LeaseRenewed(System.nanoTime(), process, task.id(), task.token(), lease));
            }
        });
    }

    /** By the clock of events. A process that is frozen between two looks at its clock looks again. */
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
