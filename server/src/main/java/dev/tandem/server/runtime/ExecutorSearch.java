package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.HeldTask;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Asks executors for tasks that they have in their memory, and that Redis does not show, or only as claimed. Thread-safe. */
final class ExecutorSearch {

    /** How long executors have to answer. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long the owner of a partition has to answer. */
    private static final long OWNER_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** More requests at a time do without the executors. */
    private static final int AT_ONCE = 8;

    private final Inspector inspector;
    private final RunningTasks running;
    private final Semaphore room = new Semaphore(AT_ONCE);

    ExecutorSearch(RedisStore store) {
        this.inspector = store.inspector();
        this.running = store.runningTasks();
    }

    /**
     * Returns the tasks with an id. Waits for the first answer that has one, since only one executor has a task.
     *
     * @param id the id, or the partition, a slash and the position
     */
    List<TaskInfo> find(String queue, String id) {
        if (!room.tryAcquire()) {
            return List.of();
        }
        try {
            return ask(queue, id).stream().map(this::info).toList();
        } finally {
            room.release();
        }
    }

    private List<HeldTask> ask(String queue, String id) {
        RunningTasks.Search search = await(running.find(queue, id));
        try {
            long sent = System.nanoTime();
            List<HeldTask> found = List.of();
            for (long pause = FIRST_LOOK_NANOS;
                    found.isEmpty() && System.nanoTime() - sent < ANSWER_NANOS;
                    pause = Math.min(2 * pause, ANSWER_NANOS / 10)) {
                LockSupport.parkNanos(pause);
                found = await(search.found());
            }
            return found;
        } finally {
            forget(search);
        }
    }

    /** Returns what executors say. @throws UnavailableException if Redis does not answer, or too many ask */
    HeldAnswer explain(String queue, HeldQuestion question) {
        if (!room.tryAcquire()) {
            throw new UnavailableException("Too many such questions are asked at once: ask again");
        }
        try {
            RunningTasks.Search search = await(running.explain(queue, question));
            try {
                long sent = System.nanoTime();
                HeldAnswer answer = HeldAnswer.NONE;
                for (long pause = FIRST_LOOK_NANOS;
                        !isEnough(answer, question) && System.nanoTime() - sent < OWNER_NANOS;
                        pause = Math.min(2 * pause, OWNER_NANOS / 20)) {
                    LockSupport.parkNanos(pause);
                    answer = await(search.answer());
                }
                return answer;
            } finally {
                forget(search);
            }
        } finally {
            room.release();
        }
    }

    private static boolean isEnough(HeldAnswer answer, HeldQuestion question) {
        return question.partition().isEmpty()
                ? !answer.isEmpty()
                : answer.partitions().stream().anyMatch(each -> each.partition().equals(question.partition()));
    }

    private static void forget(RunningTasks.Search search) {
        try {
            await(search.close());
        } catch (UnavailableException e) {
            // It expires.
        }
    }

    /** Returns what Redis and the executor know of a task. Redis knows its claim, if that is recorded yet. */
    private TaskInfo info(HeldTask held) {
        return await(inspector.task(held.place().partition(), held.place().position()))
                .map(RedisInspection::info)
                .orElseGet(() -> new TaskInfo(
                        TaskRef.of(held.place()),
                        held.running() ? TaskState.ACTIVE : TaskState.DELIVERED,
                        null,
                        held.envelope().task().key(),
                        held.envelope().attempts() + (held.running() ? 1 : 0),
                        held.executor(),
                        null,
                        null,
                        null,
                        List.of(),
                        TaskNotes.NONE))
                .withHeld(held);
    }
}
