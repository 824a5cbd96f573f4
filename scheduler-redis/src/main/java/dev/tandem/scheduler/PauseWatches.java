package dev.tandem.scheduler;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The watches that tell executors whether operators have paused their queues. Thread-safe. */
final class PauseWatches {

    private final boolean cluster;
    private final Inspector inspector;
    private final WakeupSubscriber wakeups;
    private final RedisKeys keys;
    private final StoreThread thread;
    private final Set<PauseWatch> watches = ConcurrentHashMap.newKeySet();

    PauseWatches(boolean cluster, Inspector inspector, WakeupSubscriber wakeups, RedisKeys keys, StoreThread thread) {
        this.cluster = cluster;
        this.inspector = inspector;
        this.wakeups = wakeups;
        this.keys = keys;
        this.thread = thread;
    }

    /** Starts a watch. @return ends the watch when closed */
    AutoCloseable watch(String queue, PauseListener listener) {
        PauseWatch watch = new PauseWatch(
                queue,
                cluster,
                () -> inspector
                        .pausedSince(queue)
                        .thenCombine(
                                inspector.pausedTasks(queue),
                                (since, tasks) -> new PauseWatch.Answer(since.isPresent(), tasks)),
                again -> thread.runAfter(PauseWatch.RETRY_MILLIS, again),
                listener);
        watches.add(watch);
        wakeups.add(keys.pauseChannel(queue), watch);
        watch.run();
        return () -> {
            watch.close();
            watches.remove(watch);
            wakeups.remove(keys.pauseChannel(queue), watch);
        };
    }

    /** Asks again for each queue, because a message may have been missed. */
    void check() {
        watches.forEach(PauseWatch::run);
    }
}
