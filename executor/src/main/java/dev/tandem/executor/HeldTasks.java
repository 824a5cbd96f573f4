package dev.tandem.executor;

import dev.tandem.ordering.CancelledTask;
import dev.tandem.ordering.EveryTask;
import dev.tandem.ordering.QueueCore;
import dev.tandem.ordering.Run;
import dev.tandem.ordering.TaskAt;
import dev.tandem.ordering.TaskFilter;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.PlatformHeaders;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.Registration.Registrant;
import dev.tandem.task.store.RunningTask;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Finds tasks of a queue in the memory of this process, and cancels them, for people. Thread-safe. */
final class HeldTasks {

    private static final byte[] NO_PAYLOAD = {};

    /** The most partitions of which an executor says how many tasks it has in memory. Of further ones that is not known. */
    private static final int MOST_COUNTED = 1_000;

    private final QueueSpec spec;
    private final String executor;
    private final LoopInbox inbox;
    /** Used by the loop's thread only. */
    private final QueueCore core;

    private final RunningHandlers handlers;
    private final Gates gates;
    private final LoopStatus status;
    private final ExecutorClock clock;

    HeldTasks(
            QueueSpec spec,
            String executor,
            LoopInbox inbox,
            QueueCore core,
            RunningHandlers handlers,
            Gates gates,
            LoopStatus status,
            ExecutorClock clock) {
        this.spec = spec;
        this.executor = executor;
        this.inbox = inbox;
        this.core = core;
        this.handlers = handlers;
        this.gates = gates;
        this.status = status;
        this.clock = clock;
    }

    /**
     * Cancels the tasks with an id: interrupts handlers that run them, and ends those that wait, without a run.
     *
     * @param id as for {@link #find}
     * @return the places of those that were found; as {@link #find}
     */
    CompletableFuture<List<String>> cancel(String id) {
        List<String> running = handlers.cancel(id);
        if (!running.isEmpty()) {
            return CompletableFuture.completedFuture(running);
        }
        CompletableFuture<List<String>> found = new CompletableFuture<>();
        inbox.post(() -> found.complete(cancelNow(id)));
        return found;
    }

    private List<String> cancelNow(String id) {
        List<String> places = new ArrayList<>();
        Set<Run> runs = new HashSet<>();
        for (CancelledTask task : core.cancel(named(id))) {
            places.add(task.partition().name() + "/" + task.position());
            if (task.run() != null) {
                runs.add(task.run());
            }
        }
        // A worker puts its attempt into its slot before it looks whether the run is cancelled. So one of us sees the
        // other.
        handlers.cancel(runs);
        return places;
    }

    /**
     * Finds tasks with an id, as of the loop's next turn.
     *
     * @param id the id that their handlers see, or their place: partition, slash, position
     * @return never completes if the loop has ended or hangs
     */
    CompletableFuture<List<HeldTask>> find(String id) {
        CompletableFuture<List<HeldTask>> found = new CompletableFuture<>();
        inbox.post(() -> found.complete(now(named(id))));
        return found;
    }

    /** Describes what the core holds, as of the loop's next turn. @return as {@link #find} */
    CompletableFuture<String> describe() {
        CompletableFuture<String> description = new CompletableFuture<>();
        inbox.post(() -> description.complete(core.toString()));
        return description;
    }

    /** Says what is held of a key or a task, and how the partitions are, as of the loop's next turn. @return as {@link #find} */
    CompletableFuture<HeldAnswer> held(HeldQuestion question) {
        CompletableFuture<HeldAnswer> answer = new CompletableFuture<>();
        inbox.post(() -> answer.complete(heldNow(question)));
        return answer;
    }

    /** Says which tasks run, or wait at a gate, as of the loop's next turn. @return as {@link #find} */
    CompletableFuture<List<RunningTask>> running() {
        CompletableFuture<List<RunningTask>> running = new CompletableFuture<>();
        inbox.post(() -> running.complete(runningNow()));
        return running;
    }

    /**
     * Says for how long the oldest task has waited that could start, as of the loop's next turn: in ms, of each owned partition that has
     * one, by its name. Runs that wait at gates have not started.
     *
     * @return as {@link #find}
     */
    CompletableFuture<Map<String, Long>> oldestWaits() {
        CompletableFuture<Map<String, Long>> waits = new CompletableFuture<>();
        inbox.post(() -> {
            Map<Partition, List<Run>> atGates = new HashMap<>();
            gates.eachWaiting((run, reason) -> atGates.computeIfAbsent(run.partition(), none -> new ArrayList<>())
                    .add(run));
            waits.complete(core.oldestWaits(atGates));
        });
        return waits;
    }

    private List<RunningTask> runningNow() {
        long bootMillis = clock.wallMillis() - clock.millis();
        Map<TaskPlace, RunningTask> found = new LinkedHashMap<>();
        handlers.started().stream()
                .sorted(Comparator.comparingLong(RunningHandlers.Started::startedMillis))
                .forEach(each -> {
                    RunningHandlers.Worker worker = each.worker();
                    add(
                            found,
                            each.run(),
                            bootMillis + each.startedMillis(),
                            null,
                            worker == null
                                    ? null
                                    : new RunningTask.Worker(worker.name(), bootMillis + worker.untilMillis()));
                });
        gates.eachWaiting((run, reason) -> add(found, run, 0, reason, null));
        return found.values().stream().limit(RunningTask.MOST).toList();
    }

    private void add(
            Map<TaskPlace, RunningTask> found,
            Run run,
            long since,
            @Nullable WaitReason waitsFor,
            RunningTask.@Nullable Worker worker) {
        Task task = run.task();
        String id = TaskIds.idOf(spec, task, run.place());
        found.putIfAbsent(
                run.place(),
                new RunningTask(run.place(), id, task.type(), task.key(), run.attempt(), since, waitsFor, worker));
    }

    private HeldAnswer heldNow(HeldQuestion question) {
        String name = question.name();
        TaskFilter named = switch (question.kind()) {
            case KEY -> (partition, position, task) -> name.equals(task.key());
            case TASK -> named(name);
            case GIVEN -> new TaskAt(question.partition(), new Position(name));
            case COUNT -> EveryTask.INSTANCE;
        };
        String withheld = status.snapshot(null).withheld();
        boolean counts = question.kind() == HeldQuestion.Kind.COUNT;
        return new HeldAnswer(
                counts ? List.of() : now(named),
                core.report(question.partition(), named, withheld == null ? "" : withheld).stream()
                        .limit(counts ? MOST_COUNTED : Registrant.MOST_FOUND)
                        .toList(),
                Set.of(executor));
    }

    private List<HeldTask> now(TaskFilter named) {
        Map<TaskPlace, HeldTask> found = new LinkedHashMap<>();
        handlers.running().forEach(run -> add(found, named, run, null));
        gates.eachWaiting((run, reason) -> add(found, named, run, reason));
        core.pending()
                .filter(each ->
                        named.matches(each.place().partition(), each.place().position(), each.task()))
                .forEach(each -> found.computeIfAbsent(
                        each.place(), place -> held(place, each.task(), each.attempts(), false, turn(each.task()))));
        List<HeldTask> all = new ArrayList<>(found.values());
        return all.subList(0, Math.min(all.size(), Registrant.MOST_FOUND));
    }

    private void add(Map<TaskPlace, HeldTask> found, TaskFilter named, Run run, @Nullable WaitReason waitsFor) {
        if (named.matches(run.partition(), run.position(), run.task())) {
            TaskPlace place = run.place();
            found.put(place, held(place, run.task(), run.attempt() - 1, waitsFor == null, waitsFor));
        }
    }

    /** Returns what finds tasks by an id, or by a place. Few ids are made from places, so that hardly any is put together. */
    private TaskFilter named(String id) {
        boolean mayBeMade = id.startsWith(spec.parts().topic() + ":");
        return (partition, position, task) -> {
            boolean named = task.id() == null
                    ? mayBeMade && id.equals(made(task, partition, position))
                    : task.id().equals(id);
            return named || isPlace(id, partition.name(), position.text());
        };
    }

    private String made(Task task, Partition partition, Position position) {
        return TaskIds.idOf(spec, task, new TaskPlace(partition, position));
    }

    private static boolean isPlace(String id, String partition, String position) {
        return id.length() == partition.length() + 1 + position.length()
                && id.charAt(partition.length()) == '/'
                && id.startsWith(partition)
                && id.endsWith(position);
    }

    private WaitReason turn(Task task) {
        return new WaitReason.Turn(task.key() != null && spec.policy().ordered());
    }

    private HeldTask held(TaskPlace place, Task task, int attempts, boolean running, @Nullable WaitReason waitsFor) {
        Task shown = task.withPayload(NO_PAYLOAD).withHeaders(PlatformHeaders.without(task.headers()));
        return new HeldTask(place, executor, new Envelope(shown, attempts, 0, null), running, waitsFor);
    }
}
