package dev.tandem.server.api;

import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.PartitionReport;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Keeps tasks in memory, and records the changes of single ones that the test decides about. */
abstract class InMemoryTasks extends InMemoryRuns implements Administration {

    final Map<TaskRef, TaskInfo> tasks = new LinkedHashMap<>();
    final List<String> changes = new ArrayList<>();

    /** The answers of executors, by the id or place that they are asked for. */
    final Map<String, TaskInfo> held = new LinkedHashMap<>();

    /** Whether so many ask executors already that nobody else may. */
    boolean tooManyAsk;

    /** The answers of owners that are asked how many tasks they have in memory. */
    final List<PartitionReport> counted = new ArrayList<>();

    /** The result for a task that is to be cancelled, to have another time, or another payload. */
    CancelResult cancelResult = CancelResult.CANCELLED;

    Change rescheduled = Change.DONE;
    /** How edits end; null if Redis does not answer. */
    @Nullable
    Change edited = Change.DONE;

    @Override
    public Page<TaskInfo> deadSince(
            String queue,
            Instant diedAfter,
            @Nullable String partition,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskInfo> chosen,
            int lookAt) {
        Predicate<TaskInfo> recent =
                task -> task.at() != null && !task.at().isBefore(diedAfter) && (chosen == null || chosen.test(task));
        return tasks(queue, TaskState.DEAD, partition, cursor, limit, recent, lookAt);
    }

    @Override
    public List<TaskInfo> inExecutors(String queue, String id) {
        return Optional.ofNullable(held.get(id)).stream().toList();
    }

    @Override
    public HeldAnswer held(String queue, HeldQuestion question, Set<String> owners) {
        if (question.kind() == HeldQuestion.Kind.COUNT) {
            return new HeldAnswer(List.of(), List.copyOf(counted), owners);
        }
        if (tooManyAsk) {
            throw new UnavailableException("Too many such questions are asked at once: ask again");
        }
        return Optional.ofNullable(held.get(question.name()))
                .map(TaskInfo::held)
                .map(task -> new HeldAnswer(List.of(task), List.of(), Set.of()))
                .orElse(HeldAnswer.NONE);
    }

    @Override
    public Cancellation cancel(String queue, @Nullable TaskRef ref, String id) {
        changes.add("cancel " + queue + " " + (ref == null ? id : ref));
        TaskInfo task = ref == null ? null : tasks.get(ref);
        return new Cancellation(cancelResult, task);
    }

    @Override
    public Change reschedule(String queue, TaskRef ref, Instant at, @Nullable Integer starts) {
        changes.add("reschedule " + queue + " " + ref + (starts == null ? "" : " after " + starts));
        return rescheduled;
    }

    @Override
    public Change edit(String queue, TaskRef ref, byte[] seen, byte[] payload) {
        changes.add("edit " + queue + " " + ref + " " + new String(payload, StandardCharsets.UTF_8));
        if (edited == null) {
            throw new UnavailableException("Redis does not answer");
        }
        return edited;
    }

    DeadGroups deadGroups = DeadGroups.NONE;

    /** The partitions of which groups of dead tasks were asked. */
    final List<Partition> askedGroups = new CopyOnWriteArrayList<>();

    /** Fails if Redis does not answer. */
    abstract void check();

    @Override
    public Map<Partition, DeadGroups> deadGroups(List<Partition> asked, int most) {
        check();
        askedGroups.addAll(asked);
        return asked.stream()
                .collect(Collectors.toMap(
                        each -> each,
                        each -> OrdinaryPlatform.hasGroups(each.name(), partitions(each.queue()))
                                ? DeadGroups.sum(List.of(deadGroups), most)
                                : DeadGroups.NONE));
    }
}
