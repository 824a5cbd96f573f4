package dev.tandem.test;

import dev.tandem.api.Handler;
import dev.tandem.api.Interceptor;
import dev.tandem.api.Result;
import dev.tandem.api.TaskContext;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.test.TestedTask.Run;
import dev.tandem.test.TestedTask.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Remembers the tasks that were submitted and their attempts. Thread-safe. */
final class TaskRecorder implements Interceptor {

    /** A task and its offset in the log of its queue. */
    private record Submitted(MemoryQueue queue, long offset, Task task) {}

    /** An attempt that has ended, at its place among all of them. */
    private record EndedRun(String place, Run run, boolean succeeded) {}

    private final MemoryStore store;
    private final TestClock clock;
    private final List<Submitted> submitted = new ArrayList<>();
    private final List<EndedRun> ended = new ArrayList<>();
    private final Map<Thread, TaskContext> running = new ConcurrentHashMap<>();

    TaskRecorder(MemoryStore store, TestClock clock) {
        this.store = store;
        this.clock = clock;
    }

    void submit(MemoryQueue queue, Task task) {
        synchronized (submitted) {
            submitted.add(new Submitted(queue, queue.append(task), task));
        }
    }

    @Override
    public Result around(TaskContext task, Handler next) throws Exception {
        Thread thread = Thread.currentThread();
        running.put(thread, task);
        Instant startedAt = Instant.ofEpochMilli(clock.wallMillis());
        String end = "ended in no way";
        boolean succeeded = false;
        try {
            Result result = next.handle(task);
            succeeded = result instanceof Result.Done && !task.isCancelled();
            end = task.isCancelled() ? "was interrupted at its timeout" : describe(result);
            return result;
        } catch (Throwable failure) {
            end = (task.isCancelled() ? "was interrupted at its timeout, and threw " : "threw ") + failure;
            throw failure;
        } finally {
            running.remove(thread);
            synchronized (ended) {
                ended.add(new EndedRun(
                        task.queue() + " " + task.position(), new Run(task.attempt(), startedAt, end), succeeded));
            }
        }
    }

    private static String describe(@Nullable Result result) {
        if (result instanceof Result.Again again) {
            return "asked to run again in " + again.delay() + ": " + again.reason();
        } else if (result instanceof Result.Dead dead) {
            return "said that the task is dead: " + dead.reason();
        }
        if (result instanceof Result.Snooze snooze) {
            return "asked to run again in " + snooze.delay() + ", without spending the attempt";
        }
        return result == null ? "returned null" : "succeeded";
    }

    /** Returns the earliest time at which a handler that runs now is interrupted. */
    Optional<Instant> nextDeadline() {
        return running.values().stream()
                .flatMap(each -> each.deadline().stream())
                .min(Instant::compareTo);
    }

    /** Says which handlers run now, and where they are. */
    String describeRunning() {
        return running.entrySet().stream()
                .map(each -> "the handler of type '" + each.getValue().type() + "' is at"
                        + List.of(each.getKey().getStackTrace()).stream()
                                .limit(12)
                                .map(frame -> "\n    " + frame)
                                .collect(Collectors.joining()))
                .collect(Collectors.joining("\n"));
    }

    /** Returns all tasks in the order in which they were submitted. */
    List<TestedTask> tasks() {
        return List.copyOf(byPlace().values());
    }

    /** Returns the tasks that succeeded, in the order in which their last attempts ended. */
    List<TestedTask> succeeded() {
        Map<String, TestedTask> tasks = byPlace();
        return ended().stream()
                .filter(EndedRun::succeeded)
                .flatMap(each -> Optional.ofNullable(tasks.get(each.place())).stream())
                .toList();
    }

    private Map<String, TestedTask> byPlace() {
        List<Submitted> all;
        synchronized (submitted) {
            all = List.copyOf(submitted);
        }
        Map<String, List<Run>> runs = ended().stream()
                .collect(
                        Collectors.groupingBy(EndedRun::place, Collectors.mapping(EndedRun::run, Collectors.toList())));
        Map<String, TestedTask> tasks = new LinkedHashMap<>();
        for (Submitted each : all) {
            String place = place(each);
            tasks.put(place, tested(each, runs.getOrDefault(place, List.of())));
        }
        return tasks;
    }

    private List<EndedRun> ended() {
        synchronized (ended) {
            return List.copyOf(ended);
        }
    }

    private Position position(Submitted task) {
        return store.read(task.queue().partition(), data -> Position.of(data.incarnation(), task.offset()));
    }

    private String place(Submitted task) {
        Partition partition = task.queue().partition();
        return partition.queue() + " " + partition.name() + "/" + position(task);
    }

    private TestedTask tested(Submitted entry, List<Run> runs) {
        Task task = entry.task();
        Position position = position(entry);
        Partition partition = entry.queue().partition();
        boolean committed = entry.offset() < entry.queue().committed();
        State state = store.read(partition, data -> state(data, position, entry.offset(), committed));
        byte[] envelope = store.read(partition, data -> data.envelope(position));
        MemoryNotes.Noted noted = store.noted(partition, position);
        return new TestedTask(
                task.queue(),
                task.type(),
                task.key(),
                String.valueOf(task.id()),
                task.payload(),
                task.headers(),
                Instant.ofEpochMilli(task.publishedAt()),
                task.notBefore() == 0 ? null : Instant.ofEpochMilli(task.notBefore()),
                state,
                runs,
                envelope == null
                        ? null
                        : Envelope.decode(task.queue(), envelope).error(),
                TestedTask.Progress.of(noted.notes().progress()),
                noted.notes().log().stream().map(TaskNotes.Line::text).toList(),
                noted.checkpoint());
    }

    private static State state(ModelPartition data, Position position, long offset, boolean committed) {
        if (data.dead().contains(position)) {
            return State.DEAD;
        } else if (data.claim(position) != null) {
            return State.RUNNING;
        } else if (data.holds(position)) {
            return State.WAITING;
        }
        return committed || data.isSettled(offset) ? State.SUCCEEDED : State.WAITING;
    }
}
