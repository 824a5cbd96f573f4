package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.OperationBook;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationJson;
import dev.tandem.server.operations.OperationProgress;
import dev.tandem.server.operations.OperationProgress.State;
import dev.tandem.task.FailureText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out operations that nobody runs: those that this server began, and those of servers that died. It runs {@value
 * #AT_ONCE} at once; others wait, or are run by other servers.
 */
final class OperationRunner implements AutoCloseable {

    static final int AT_ONCE = 2;

    private static final Logger log = LoggerFactory.getLogger(OperationRunner.class);

    /** The interval in which it looks for operations that others have left. */
    private static final long LOOK_MILLIS = 3_000;

    private static final long CLOSE_MILLIS = 5_000;

    private final OperationRun.Store store;
    private final OperationRun.Counter counter;
    private final String program = UUID.randomUUID().toString();
    private final Semaphore begun = new Semaphore(0);
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean closed;

    OperationRunner(RedisStore store, OperationRun.Counter counter) {
        this.store = OperationRun.Store.of(store);
        this.counter = counter;
    }

    void start() {
        for (int i = 1; i <= AT_ONCE; i++) {
            Thread thread = new Thread(this::work, "tandem-operations-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    /** Looks for operations now. */
    void look() {
        begun.release();
    }

    private void work() {
        while (!closed) {
            try {
                Optional<OperationBook.Entry> claimed = await(store.book().claim(program));
                if (claimed.isPresent()) {
                    run(claimed.get());
                } else {
                    rest();
                }
            } catch (UnavailableException e) {
                log.debug("Cannot look for operations: {}", e.getMessage());
                rest();
            } catch (RuntimeException e) {
                log.error("An operation failed because of a bug. It is tried again", e);
                rest();
            }
        }
    }

    private void rest() {
        try {
            if (!closed && begun.tryAcquire(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                begun.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closed = true;
        }
    }

    private void run(OperationBook.Entry entry) {
        Optional<Operation> operation = OperationJson.operation(entry.definition());
        if (operation.isEmpty()) {
            fail(entry, "this server cannot read it: another version has written it");
            return;
        }
        Operation its = operation.get();
        try {
            OperationRun run = new OperationRun(store, entry, its, program, () -> closed, System::nanoTime, counter);
            OperationProgress ended = run.run();
            if (ended != null) {
                log.info(
                        "Queue {}: operation {} ({}{}) {}: {} tasks looked at, {} matched, {} changed, {} refused",
                        its.queue(),
                        its.id(),
                        its.action().word(),
                        its.dryRun() ? ", dry run" : "",
                        ended.state() == State.DONE ? "is done" : "was stopped",
                        ended.looked(),
                        ended.matched(),
                        ended.changed(),
                        ended.refused());
            }
        } catch (IllegalArgumentException e) {
            fail(entry, FailureText.of(e));
        } catch (UnavailableException e) {
            log.warn(
                    "Queue {}: operation {} ({}) is interrupted, and goes on in {} s or so: {}",
                    its.queue(),
                    its.id(),
                    its.action().word(),
                    OperationBook.CLAIM.toSeconds(),
                    e.getMessage());
            rest();
        }
    }

    private void fail(OperationBook.Entry entry, String problem) {
        log.warn("Operation {} has failed: {}", entry.name(), problem);
        await(store.book()
                .end(
                        entry.name(),
                        program,
                        OperationJson.write(
                                OperationJson.progress(entry.progress()).failed(problem))));
    }

    /** Ends the work after the step that is under way. Another server goes on. */
    @Override
    public void close() {
        closed = true;
        begun.release(AT_ONCE);
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSE_MILLIS);
        for (Thread thread : threads) {
            try {
                thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
