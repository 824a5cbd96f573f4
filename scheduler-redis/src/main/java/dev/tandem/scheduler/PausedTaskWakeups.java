package dev.tandem.scheduler;

import dev.tandem.scheduler.OperationTasks.Stage;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.store.PausedTasks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tasks due that were put aside while their type or key was paused: those that are {@linkplain PutAside marked}. It reads
 * the tasks of all partitions in pages, one partition after another, and does so again a little later: an executor that hears late
 * of the resumption may have put some aside meanwhile. Whatever is lost here runs later, because tasks that were put aside look
 * again by themselves. Thread-safe.
 */
final class PausedTaskWakeups {

    private static final Logger log = LoggerFactory.getLogger(PausedTaskWakeups.class);

    /** The times between the readings of the partitions. Executors hear of a lost message within ten seconds. */
    private static final long[] AFTER_MILLIS = {0, 1_500, 11_000};

    private final Inspector inspector;
    private final OperationTasks tasks;
    private final TaskWakeups wakeups;
    private final WalkRounds<Resumed> rounds;

    /** A type or a key that was resumed. @param defaultType the type of tasks that name none; null if they have none */
    private record Resumed(
            String queue, PausedTasks which, @Nullable String defaultType) {}

    PausedTaskWakeups(AdminConnection connection, Inspector inspector, EndAnnouncer ends) {
        this.inspector = inspector;
        this.tasks = new OperationTasks(connection, ends);
        this.wakeups = new TaskWakeups(connection);
        this.rounds = new WalkRounds<>(
                AFTER_MILLIS,
                this::walkUnlessPaused,
                (millis, task) -> CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
                        .execute(task));
    }

    /** Begins to wake the tasks of one type or one key. @param defaultType the type of tasks that name none; null if they have none */
    void begin(String queue, PausedTasks which, @Nullable String defaultType) {
        rounds.begin(new Resumed(queue, which, defaultType));
    }

    private CompletableFuture<Void> walkUnlessPaused(Resumed resumed) {
        return inspector
                .pausedTasks(resumed.queue())
                .thenCompose(now -> isPausedAgain(resumed.which(), now) ? done() : walk(resumed))
                .whenComplete((done, failure) -> {
                    if (failure != null) {
                        log.debug(
                                "Queue {}: could not wake all tasks of {}", resumed.queue(), resumed.which(), failure);
                    }
                });
    }

    private static boolean isPausedAgain(PausedTasks which, PausedTasks now) {
        return now.types().containsAll(which.types()) && now.keys().containsAll(which.keys());
    }

    private CompletableFuture<Void> walk(Resumed resumed) {
        return inspector.partitions(resumed.queue()).thenCompose(partitions -> partition(resumed, partitions, 0));
    }

    private CompletableFuture<Void> partition(Resumed resumed, List<Partition> all, int number) {
        return number == all.size()
                ? done()
                : page(resumed, all.get(number), null).thenComposeAsync(done -> partition(resumed, all, number + 1));
    }

    private CompletableFuture<Void> page(Resumed resumed, Partition partition, @Nullable String cursor) {
        return tasks.page(partition, Stage.RETRY, cursor, Long.MAX_VALUE).thenCompose(page -> {
            List<String> chosen = page.tasks().stream()
                    .map(OperationTasks.Found::task)
                    .filter(view -> waits(resumed, view))
                    .map(TaskView::position)
                    .map(Position::text)
                    .toList();
            CompletableFuture<Void> woken = chosen.isEmpty() ? done() : wakeups.wake(partition, chosen);
            String next = page.next();
            return next == null ? woken : woken.thenComposeAsync(done -> page(resumed, partition, next));
        });
    }

    private static boolean waits(Resumed resumed, TaskView view) {
        if (view.envelope() == null || !PutAside.isMarked(view.envelope().task())) {
            return false;
        }
        Task task = view.envelope().task();
        return resumed.which().covers(task.type() == null ? resumed.defaultType() : task.type(), task.key());
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
