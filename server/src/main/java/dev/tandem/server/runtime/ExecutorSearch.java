package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.scheduler.Inspector;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.RunningTasks;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.RunningTask;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Asks executors for tasks that they have in their memory, and that Redis does not show, or only as claimed. Thread-safe. */
final class ExecutorSearch {

    /** How long executors have to answer. */
    private static final long ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** How long the owner of a partition has to answer. */
    private static final long OWNER_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long owners have to answer how much they have in memory. A page waits for it. */
    private static final long COUNT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final long FIRST_LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** More requests at a time do without the executors. */
    private static final int AT_ONCE = 8;

    private final Inspector inspector;
    private final RunningTasks running;
    private final Semaphore room = new Semaphore(AT_ONCE);
    /** Apart from the other, so that pages that are looked at keep nobody from changing a task. */
    private final Semaphore countRoom = new Semaphore(AT_ONCE);

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
            forget(search.close());
        }
    }

    /**
     * Returns what executors say of a key or a task.
     *
     * @param live the executors that were seen lately
     * @param owners those who own partitions of the queue
     * @throws UnavailableException if Redis does not answer, or too many ask
     */
    HeldAnswer held(String queue, HeldQuestion question, Set<String> live, Set<String> owners) {
        boolean counts = question.kind() == HeldQuestion.Kind.COUNT;
        Semaphore its = counts ? countRoom : room;
        if (!its.tryAcquire()) {
            throw new UnavailableException("Too many such questions are asked at once: ask again");
        }
        try {
            return answer(queue, question, live, owners, counts ? COUNT_NANOS : OWNER_NANOS);
        } finally {
            its.release();
        }
    }

    private HeldAnswer answer(
            String queue, HeldQuestion question, Set<String> live, Set<String> owners, long waitNanos) {
        RunningTasks.Question asked = await(running.held(queue, question, live));
        try {
            long sent = System.nanoTime();
            HeldAnswer answer = HeldAnswer.NONE;
            for (long pause = FIRST_LOOK_NANOS, left = waitNanos;
                    !isEnough(answer, question, live, owners) && left > 0;
                    pause = Math.min(2 * pause, OWNER_NANOS / 20), left = sent + waitNanos - System.nanoTime()) {
                LockSupport.parkNanos(Math.min(pause, left));
                answer = await(asked.answer());
            }
            return answer;
        } finally {
            forget(asked.close());
        }
    }

    /**
     * Returns what executors say that they run, by queue and executor. Who does not answer in time is left out; so are all while too
     * many ask.
     *
     * @param executors whom to ask, by queue
     */
    Map<String, Map<String, List<RunningTask>>> running(Map<String, Set<String>> executors) {
        if (executors.isEmpty() || !room.tryAcquire()) {
            return Map.of();
        }
        try {
            Map<String, CompletableFuture<RunningTasks.Running>> asked = new LinkedHashMap<>();
            executors.forEach((queue, its) -> asked.put(queue, running.running(queue, its)));
            Map<String, Map<String, List<RunningTask>>> answers = new LinkedHashMap<>();
            try {
                long sent = System.nanoTime();
                for (long pause = FIRST_LOOK_NANOS;
                        !hasAll(answers, executors) && System.nanoTime() - sent < ANSWER_NANOS;
                        pause = Math.min(2 * pause, ANSWER_NANOS / 10)) {
                    LockSupport.parkNanos(pause);
                    Map<String, CompletableFuture<Map<String, List<RunningTask>>>> now = new LinkedHashMap<>();
                    asked.forEach((queue, each) -> now.put(queue, each.thenCompose(RunningTasks.Running::answers)));
                    now.forEach((queue, each) -> answers.put(queue, await(each)));
                }
                return answers;
            } finally {
                asked.values().forEach(each -> forget(each.thenCompose(RunningTasks.Running::close)));
            }
        } finally {
            room.release();
        }
    }

    private static boolean hasAll(
            Map<String, Map<String, List<RunningTask>>> answers, Map<String, Set<String>> executors) {
        return executors.entrySet().stream()
                .allMatch(each ->
                        answers.getOrDefault(each.getKey(), Map.of()).keySet().containsAll(each.getValue()));
    }

    private static boolean isEnough(HeldAnswer answer, HeldQuestion question, Set<String> live, Set<String> owners) {
        return question.partition().isEmpty()
                ? answer.hasAny() && question.kind() != HeldQuestion.Kind.COUNT
                        || owners.stream().allMatch(each -> answer.executors().contains(each) || !live.contains(each))
                : answer.partitions().stream().anyMatch(each -> each.partition().equals(question.partition()));
    }

    private static void forget(CompletableFuture<Void> closed) {
        try {
            await(closed);
        } catch (UnavailableException e) {
            // It expires.
        }
    }

    /** Returns what Redis and the executor know of a task. Redis knows its claim, if that is recorded yet. */
    private TaskInfo info(HeldTask held) {
        return await(inspector.task(held.place().partition(), held.place().position()))
                .map(RedisInspection::info)
                .orElseGet(() -> TaskInfo.inMemory(held))
                .withHeld(held);
    }
}
