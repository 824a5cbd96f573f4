package dev.tandem.scheduler;

import dev.tandem.scheduler.OperationTasks.Where;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.PausedTasks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes the tasks due that were put aside while their type or key was paused. It reads the tasks of all partitions in pages, one
 * partition after another, and does so again a little later: an executor that hears late of the resumption may have put some aside
 * meanwhile. Tasks that have failed before are left out, since the time of their next attempt is not known any more; they are put
 * aside for a short time only. Whatever is lost here runs later, because tasks that were put aside look again by themselves.
 */
final class PausedTaskWakeups {

    private static final Logger log = LoggerFactory.getLogger(PausedTaskWakeups.class);

    /** When the partitions are read, counted from the time before. Executors hear of a lost message within ten seconds. */
    private static final long[] AFTER_MILLIS = {0, 1_500, 11_000};

    private final Inspector inspector;
    private final OperationTasks tasks;
    private final WaiterWakeups wakeups;
    private final String queue;
    private final PausedTasks which;
    private final @Nullable String defaultType;

    /** @param defaultType the type of tasks that name none; null if they have none */
    PausedTaskWakeups(
            AdminConnection connection,
            Inspector inspector,
            EndAnnouncer ends,
            String queue,
            PausedTasks which,
            @Nullable String defaultType) {
        this.inspector = inspector;
        this.tasks = new OperationTasks(connection, ends);
        this.wakeups = new WaiterWakeups(connection);
        this.queue = queue;
        this.which = which;
        this.defaultType = defaultType;
    }

    void begin() {
        round(0);
    }

    private void round(int number) {
        if (number == AFTER_MILLIS.length) {
            return;
        }
        CompletableFuture.delayedExecutor(AFTER_MILLIS[number], TimeUnit.MILLISECONDS)
                .execute(() -> inspector
                        .pausedTasks(queue)
                        .thenCompose(now -> isPausedAgain(now) ? done() : walk())
                        .whenComplete((done, failure) -> {
                            if (failure != null) {
                                log.debug("Queue {}: could not wake all tasks of {}", queue, which, failure);
                            }
                            round(number + 1);
                        }));
    }

    private boolean isPausedAgain(PausedTasks now) {
        return now.types().containsAll(which.types()) && now.keys().containsAll(which.keys());
    }

    private CompletableFuture<Void> walk() {
        return inspector.partitions(queue).thenCompose(partitions -> partition(partitions, 0));
    }

    private CompletableFuture<Void> partition(List<Partition> all, int number) {
        return number == all.size()
                ? done()
                : page(all.get(number), null).thenComposeAsync(done -> partition(all, number + 1));
    }

    private CompletableFuture<Void> page(Partition partition, @Nullable String cursor) {
        return tasks.page(partition, Where.RETRY, cursor, Long.MAX_VALUE).thenCompose(page -> {
            List<String> chosen = page.tasks().stream()
                    .map(OperationTasks.Found::task)
                    .filter(this::waits)
                    .map(TaskView::position)
                    .map(Position::text)
                    .toList();
            CompletableFuture<Void> woken = chosen.isEmpty() ? done() : wakeups.wake(partition, chosen);
            String next = page.next();
            return next == null ? woken : woken.thenComposeAsync(done -> page(partition, next));
        });
    }

    private boolean waits(TaskView view) {
        if (view.envelope() == null || view.envelope().attempts() > 0) {
            return false;
        }
        Task task = view.envelope().task();
        return which.covers(task.type() == null ? defaultType : task.type(), task.key());
    }

    private static CompletableFuture<Void> done() {
        return CompletableFuture.completedFuture(null);
    }
}
