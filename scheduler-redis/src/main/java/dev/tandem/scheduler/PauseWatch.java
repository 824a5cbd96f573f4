package dev.tandem.scheduler;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up whether a queue is paused, each time that it runs, and calls a listener when that has changed. Until it has its
 * first answer, it asks again by itself, since nobody starts a task before. If none comes for long, the queue counts as not
 * paused: of a Redis Cluster, the node that knows may be away, and the tasks on the other nodes must not wait for it.
 * Thread-safe.
 */
final class PauseWatch implements Runnable, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PauseWatch.class);

    private static final long RETRY_MILLIS = 500;

    /** How many questions may stay without an answer, which takes ten seconds or more. */
    private static final int MAX_UNANSWERED = 20;

    private final Inspector inspector;
    private final StoreThread thread;
    private final String queue;
    private final Consumer<Boolean> listener;

    // Guarded by this.
    private @Nullable Boolean lastPaused;
    private boolean asksAgain;
    private int unanswered;
    private boolean closed;

    PauseWatch(Inspector inspector, StoreThread thread, String queue, Consumer<Boolean> listener) {
        this.inspector = inspector;
        this.thread = thread;
        this.queue = queue;
        this.listener = listener;
    }

    @Override
    public void run() {
        inspector.pausedSince(queue).whenComplete((since, failure) -> {
            if (failure == null) {
                update(since.isPresent());
            } else {
                askAgain();
            }
        });
    }

    private synchronized void update(boolean paused) {
        if (!closed && (lastPaused == null || lastPaused != paused)) {
            lastPaused = paused;
            listener.accept(paused);
        }
    }

    private synchronized void askAgain() {
        if (lastPaused != null || asksAgain || closed) {
            return;
        }
        if (++unanswered >= MAX_UNANSWERED) {
            log.warn(
                    "Queue {}: Redis does not say whether an operator has paused it. Its tasks start until Redis says so",
                    queue);
            update(false);
        } else {
            asksAgain = true;
            thread.runAfter(RETRY_MILLIS, this::runAgain);
        }
    }

    private void runAgain() {
        synchronized (this) {
            asksAgain = false;
            if (closed) {
                return;
            }
        }
        run();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
