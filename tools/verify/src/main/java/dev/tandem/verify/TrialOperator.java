package dev.tandem.verify;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.ResultPage;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.scheduler.TaskView;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.verify.load.EndedTasks;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.LiveView;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Cancels tasks by their ids, as an operator would: some while they wait for their time or in their executors, others while they run. Records what the
 * store confirms. Thread-safe.
 */
final class TrialOperator implements AutoCloseable {

    private static final int THREADS = 3;
    private static final long FIRST_TRY_MILLIS = 700;
    private static final long RETRY_MILLIS = 500;
    private static final long LOOK_MILLIS = 100;
    private static final long POLL_MILLIS = 50;
    private static final long ANSWER_MILLIS = 3_000;
    /** How long executors have to interrupt a handler. */
    private static final long INTERRUPT_MILLIS = 1_500;
    /** How long an interrupted handler has to end. */
    private static final long END_MILLIS = 5_000;

    private static final int PAGE = 1_000;

    private final RedisStore store;
    private final String queue;
    private final LiveView liveView;
    private final JsonLinesLog<Event> log;
    private final Set<String> asked = ConcurrentHashMap.newKeySet();
    private final ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(THREADS, task -> {
        Thread thread = new Thread(task, "verify-operator");
        thread.setDaemon(true);
        return thread;
    });

    TrialOperator(RedisStore store, String queue, LiveView liveView, JsonLinesLog<Event> log) {
        this.store = store;
        this.queue = queue;
        this.liveView = liveView;
        this.log = log;
        threads.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        Future<?> unused =
                threads.scheduleWithFixedDelay(this::lookAtRunning, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Hears that the broker has a task. */
    void published(String id) {
        if (EndedTasks.isCancelledWhileItWaits(id)) {
            long until = System.nanoTime() + EndedTasks.CANCELLED_BEFORE.toNanos();
            tryLater(FIRST_TRY_MILLIS, () -> cancelWaiting(id, until));
        } else if (EndedTasks.isCancelledInMemory(id)) {
            tryLater(LOOK_MILLIS, () -> cancelInExecutor(id));
        }
    }

    private void lookAtRunning() {
        liveView.running().stream()
                .filter(EndedTasks::isCancelledWhileItRuns)
                .filter(asked::add)
                .forEach(id -> tryLater(0, () -> cancelInExecutor(id)));
    }

    /** A step that asks the store. */
    private interface Step {
        void run() throws InterruptedException, ExecutionException, TimeoutException;
    }

    private void tryLater(long millis, Step step) {
        if (threads.isShutdown()) {
            return;
        }
        Future<?> unused = threads.schedule(
                () -> {
                    try {
                        step.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    } catch (ExecutionException | TimeoutException e) {
                        // The store does not answer, as some faults intend: nothing is confirmed.
                    }
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** Cancels a task in the store, once the store has it. */
    private void cancelWaiting(String id, long until)
            throws InterruptedException, ExecutionException, TimeoutException {
        List<TaskView> found = await(store.inspector().tasks(queue, id, 2));
        if (found.size() == 1) {
            long askedAt = System.nanoTime();
            TaskView seen = found.get(0);
            Admin.Result result =
                    await(store.admin().delete(seen.partition(), seen.position(), Admin.Deletion.WAITING));
            if (result == Admin.Result.DONE) {
                log.write(new Event.CancelConfirmed(System.nanoTime(), id, askedAt));
            }
        } else if (System.nanoTime() < until) {
            tryLater(RETRY_MILLIS, () -> cancelWaiting(id, until));
        }
    }

    /** Has the executor of a task interrupt it, or end it without a run. It is confirmed when the store says that it was cancelled. */
    private void cancelInExecutor(String id) throws InterruptedException, ExecutionException, TimeoutException {
        long askedAt = System.nanoTime();
        RunningTasks.Request request = await(store.runningTasks().cancel(queue, id));
        try {
            List<String> places = List.of();
            long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(INTERRUPT_MILLIS);
            while (places.isEmpty() && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                places = await(request.interrupted());
            }
            if (!places.isEmpty() && isCancelled(places.get(0))) {
                log.write(new Event.CancelConfirmed(System.nanoTime(), id, askedAt));
            }
        } finally {
            var unused = request.close();
        }
    }

    /** Waits until a task has ended. Returns whether it was cancelled. @param place partition and position */
    private boolean isCancelled(String place) throws InterruptedException, ExecutionException, TimeoutException {
        int slash = place.indexOf('/');
        Partition partition = new Partition(queue, place.substring(0, slash));
        Position position = new Position(place.substring(slash + 1));
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
        while (System.nanoTime() < deadline) {
            TaskView seen = await(store.inspector().task(partition, position)).orElse(null);
            if (seen != null && seen.state().isFinal()) {
                return seen.state() == TaskState.CANCELLED;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
        return false;
    }

    /** Returns what the store keeps of tasks that expired or were cancelled. */
    List<Event.KeptEnd> keptEnds() throws InterruptedException, ExecutionException, TimeoutException {
        long clock = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        List<Event.KeptEnd> ends = new ArrayList<>();
        for (TaskState state : List.of(TaskState.EXPIRED, TaskState.CANCELLED)) {
            String cursor = null;
            do {
                ResultPage<TaskView> page = await(store.inspector().tasks(queue, state, cursor, PAGE));
                for (TaskView task : page.items()) {
                    String id = task.envelope() == null
                            ? null
                            : task.envelope().task().id();
                    ends.add(new Event.KeptEnd(
                            id == null ? "?" : id,
                            state.name().toLowerCase(Locale.ROOT),
                            clock + TimeUnit.MILLISECONDS.toNanos(task.at())));
                }
                cursor = page.next();
            } while (cursor != null);
        }
        return ends;
    }

    private static <T> T await(CompletionStage<T> answer)
            throws InterruptedException, ExecutionException, TimeoutException {
        return answer.toCompletableFuture().get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Cancels nothing more. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
