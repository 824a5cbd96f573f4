package dev.tandem.scheduler;

import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.Registration.OperatorPause;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up whether a queue, or tasks of it, are paused, each time that it runs, and calls a listener when that has changed. Until it has its
 * first answer, it asks again by itself, since nobody starts a task before. If none comes for long, the listener hears that
 * nobody can tell: of a Redis Cluster, the node that knows may be away, and the tasks on the other nodes must not wait for
 * it. The watch goes on asking then, so that a pause is noticed soon after the node is back. One question is asked at a
 * time. Thread-safe.
 */
final class PauseWatch implements Runnable, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PauseWatch.class);

    static final long RETRY_MILLIS = 500;

    /** How many questions may stay without an answer, which takes ten seconds or more. */
    static final int MAX_UNANSWERED = 20;

    private final String queue;
    private final boolean cluster;
    private final Supplier<CompletableFuture<Answer>> question;
    private final Consumer<Runnable> later;
    private final PauseListener listener;

    // Guarded by this.
    private @Nullable OperatorPause last;
    private PausedTasks lastTasks = PausedTasks.NONE;
    private boolean asking;
    private boolean askedMeanwhile;
    private boolean asksAgain;
    private int unanswered;
    private boolean closed;

    /** What Redis says. @param queue whether the whole queue is paused */
    record Answer(boolean queue, PausedTasks tasks) {}

    /**
     * @param cluster whether other nodes of Redis may answer while the one that knows is away
     * @param question asks what of the queue is paused
     * @param later runs a task after {@link #RETRY_MILLIS}
     */
    PauseWatch(
            String queue,
            boolean cluster,
            Supplier<CompletableFuture<Answer>> question,
            Consumer<Runnable> later,
            PauseListener listener) {
        this.queue = queue;
        this.cluster = cluster;
        this.question = question;
        this.later = later;
        this.listener = listener;
    }

    @Override
    public void run() {
        synchronized (this) {
            if (asking) {
                askedMeanwhile = true;
                return;
            }
            asking = true;
        }
        question.get().whenComplete((answer, failure) -> {
            if (answered(failure == null ? answer : null)) {
                run();
            }
        });
    }

    /** Handles an answer, null if there is none. Returns whether it may be out of date already. */
    private synchronized boolean answered(@Nullable Answer answer) {
        asking = false;
        boolean outdated = askedMeanwhile;
        askedMeanwhile = false;
        if (answer != null) {
            update(answer.tasks());
            update(answer.queue() ? OperatorPause.YES : OperatorPause.NO);
        } else {
            askAgain();
        }
        return outdated && !asksAgain && !closed;
    }

    private synchronized void update(PausedTasks tasks) {
        if (!closed && !tasks.equals(lastTasks)) {
            lastTasks = tasks;
            listener.pausedTasks(tasks);
        }
    }

    private synchronized void update(OperatorPause paused) {
        if (!closed && last != paused) {
            if (last == OperatorPause.UNKNOWN && cluster) {
                log.info("Queue {}: Redis says again whether an operator has paused it: {}", queue, paused);
            }
            last = paused;
            listener.paused(paused);
        }
    }

    private synchronized void askAgain() {
        if (last != null && last != OperatorPause.UNKNOWN || asksAgain || closed) {
            return;
        }
        if (last == null && ++unanswered >= MAX_UNANSWERED) {
            if (cluster) { // Otherwise no task starts, as the store has said: nothing else answers either.
                log.warn(
                        "Queue {}: Redis has not said yet whether an operator has paused it. Until it does, tasks start in"
                                + " the partitions whose node of Redis answers, and in no others",
                        queue);
            }
            update(OperatorPause.UNKNOWN);
        }
        asksAgain = true;
        later.accept(this::runAgain);
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
