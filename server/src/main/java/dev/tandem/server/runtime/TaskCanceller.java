package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Admin;
import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.scheduler.TaskView;
import dev.tandem.server.inspect.Administration.CancelResult;
import dev.tandem.server.inspect.Administration.Cancellation;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Cancels tasks: in Redis those that wait there, and in their executors those that run or wait in memory. A task may go from one
 * to the other in between, so it is looked at again until the answer is certain, for a few seconds at most. Thread-safe.
 */
final class TaskCanceller {

    /** How long executors have to interrupt a handler. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(1_500);

    /** How long an interrupted handler is waited for, the answers of executors included. */
    private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Inspector inspector;
    private final Admin admin;
    private final RunningTasks running;

    TaskCanceller(RedisStore store) {
        this.inspector = store.inspector();
        this.admin = store.admin();
        this.running = store.runningTasks();
    }

    /** Cancels a task. @param ref null if Redis does not know it */
    Cancellation cancel(String queue, @Nullable TaskRef ref, String id) {
        long began = System.nanoTime();
        TaskRef known = ref;
        while (true) {
            Admin.Result result = known == null ? Admin.Result.NOT_FOUND : cancelWaiting(queue, known);
            TaskView seen = view(queue, known);
            if (result == Admin.Result.DONE) {
                return cancellation(CancelResult.CANCELLED, seen);
            } else if (seen != null && seen.state().isFinal()) {
                return cancellation(CancelResult.ENDED, seen);
            } else if (result == Admin.Result.ACTIVE || seen == null) {
                Cancellation done = inExecutors(queue, known, id, began);
                if (done != null) {
                    return done;
                }
                known = known == null ? find(queue, id) : known;
                seen = view(queue, known);
            }
            if (seen == null) {
                return cancellation(CancelResult.NOT_FOUND, null);
            } else if (System.nanoTime() - began > (seen.state() == TaskState.ACTIVE ? ANSWER_NANOS : END_NANOS)) {
                return cancellation(
                        seen.state() == TaskState.ACTIVE ? CancelResult.NOT_INTERRUPTED : CancelResult.NOT_FOUND, seen);
            }
            // It has changed since: look again.
            LockSupport.parkNanos(LOOK_NANOS);
        }
    }

    private Admin.Result cancelWaiting(String queue, TaskRef ref) {
        return await(admin.delete(
                new Partition(queue, ref.partition()), new Position(ref.position()), Admin.Deletion.WAITING));
    }

    /** Has executors cancel a task, and waits for its end. Null if none of them has it. */
    private @Nullable Cancellation inExecutors(String queue, @Nullable TaskRef ref, String id, long began) {
        String asked = ref == null ? id : ref.partition() + "/" + ref.position();
        RunningTasks.Request request = await(running.cancel(queue, asked));
        try {
            long sent = System.nanoTime();
            while (System.nanoTime() - sent < ANSWER_NANOS) {
                List<String> places = await(request.interrupted());
                if (!places.isEmpty()) {
                    return awaitEnd(queue, ofPlace(places.get(0)), began);
                }
                TaskView seen = view(queue, ref);
                if (seen != null && seen.state() != TaskState.ACTIVE) {
                    return null;
                }
                LockSupport.parkNanos(LOOK_NANOS);
            }
            return null;
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

    private static TaskRef ofPlace(String place) {
        int slash = place.indexOf('/');
        return new TaskRef(place.substring(0, slash), place.substring(slash + 1));
    }

    /** Waits until the end of a task is recorded that its executor has cancelled. Null if Redis has it by now, and it waits there. */
    private @Nullable Cancellation awaitEnd(String queue, TaskRef ref, long began) {
        TaskView seen = view(queue, ref);
        while (System.nanoTime() - began < END_NANOS
                && (seen == null || !seen.state().isFinal())) {
            if (seen != null && seen.state() != TaskState.ACTIVE) {
                return null;
            }
            LockSupport.parkNanos(LOOK_NANOS);
            seen = view(queue, ref);
        }
        if (seen == null || !seen.state().isFinal()) {
            return cancellation(CancelResult.INTERRUPTED, seen);
        }
        return cancellation(seen.state() == TaskState.CANCELLED ? CancelResult.CANCELLED : CancelResult.ENDED, seen);
    }

    private @Nullable TaskRef find(String queue, String id) {
        List<TaskView> found = await(inspector.tasks(queue, id, 2));
        if (found.size() != 1) {
            return null;
        }
        return new TaskRef(
                found.get(0).partition().name(), found.get(0).position().text());
    }

    private @Nullable TaskView view(String queue, @Nullable TaskRef ref) {
        return ref == null
                ? null
                : await(inspector.task(new Partition(queue, ref.partition()), new Position(ref.position())))
                        .orElse(null);
    }

    private static Cancellation cancellation(CancelResult result, @Nullable TaskView seen) {
        return new Cancellation(result, seen == null ? null : RedisInspection.info(seen));
    }
}
