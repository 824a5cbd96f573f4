package dev.tandem.scheduler;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Walks through something several times, with given times between the walks. There is one walk of a thing at a time: if it is begun
 * again meanwhile, the rounds begin again when the walk has ended. Thread-safe.
 *
 * @param <W> what is walked through
 */
final class WalkRounds<W> {

    /** The most things that are walked through at once. Others are passed over. */
    static final int MOST = 1_000;

    /** Runs a task after a time. */
    @FunctionalInterface
    interface Later {
        void run(long millis, Runnable task);
    }

    /** Guarded by the rounds. */
    private static final class Rounds {
        /** The number of walks of this thing so far. A round that was planned before the last one began is left out. */
        private int begun;

        private boolean walking;
    }

    private final long[] afterMillis;
    private final Function<W, CompletableFuture<Void>> walk;
    private final Later later;
    /** Guarded by this. */
    private final Map<W, Rounds> all = new HashMap<>();

    /**
     * @param afterMillis when each round starts, counted from the end of the one before it
     * @param walk walks once; its future may fail
     */
    WalkRounds(long[] afterMillis, Function<W, CompletableFuture<Void>> walk, Later later) {
        this.afterMillis = afterMillis.clone();
        this.walk = walk;
        this.later = later;
    }

    void begin(W what) {
        Rounds its;
        int begun;
        synchronized (this) {
            if (all.size() >= MOST && !all.containsKey(what)) {
                return;
            }
            its = all.computeIfAbsent(what, none -> new Rounds());
            begun = ++its.begun;
            if (its.walking) {
                return;
            }
        }
        plan(what, its, begun, 0);
    }

    private void plan(W what, Rounds its, int begun, int number) {
        later.run(afterMillis[number], () -> round(what, its, begun, number));
    }

    private void round(W what, Rounds its, int begun, int number) {
        synchronized (this) {
            if (its.walking || its.begun != begun) {
                return;
            }
            its.walking = true;
        }
        CompletableFuture.completedFuture(what)
                .thenCompose(walk)
                .whenComplete((done, failure) -> walked(what, its, begun, number));
    }

    private void walked(W what, Rounds its, int begun, int number) {
        int now;
        int next;
        synchronized (this) {
            its.walking = false;
            now = its.begun;
            next = now == begun ? number + 1 : 0;
            if (next == afterMillis.length) {
                all.remove(what);
                return;
            }
        }
        plan(what, its, now, next);
    }
}
