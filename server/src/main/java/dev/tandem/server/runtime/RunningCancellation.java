package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.RunningTasks;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Has executors cancel the tasks of a page that they run. Does not wait for the ends of their handlers. Thread-safe. */
final class RunningCancellation {

    /** How long executors have to answer, as for a single task. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final RunningTasks running;

    RunningCancellation(RunningTasks running) {
        this.running = running;
    }

    /** Returns those of the tasks that their executors have cancelled. */
    Set<Position> cancel(Partition partition, Collection<Position> tasks) {
        if (tasks.isEmpty()) {
            return Set.of();
        }
        String prefix = partition.name() + "/";
        List<String> places = tasks.stream().map(each -> prefix + each.text()).toList();
        RunningTasks.Request request = await(running.cancel(partition.queue(), places));
        try {
            long sent = System.nanoTime();
            Set<String> cancelled = Set.of();
            while (cancelled.size() < places.size() && System.nanoTime() - sent < ANSWER_NANOS) {
                LockSupport.parkNanos(LOOK_NANOS);
                cancelled = new HashSet<>(await(request.interrupted()));
            }
            Set<Position> positions = new HashSet<>();
            cancelled.forEach(place -> positions.add(new Position(place.substring(prefix.length()))));
            return positions;
        } finally {
            forget(request);
        }
    }

    private static void forget(RunningTasks.Request request) {
        try {
            await(request.close());
        } catch (UnavailableException e) {
            // It expires.
        }
    }
}
