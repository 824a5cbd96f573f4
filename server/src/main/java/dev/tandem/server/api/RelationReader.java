package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Permission;
import dev.tandem.server.api.TaskRelations.Neighbour;
import dev.tandem.server.api.TaskRelations.OfFanOut;
import dev.tandem.server.api.TaskRelations.Part;
import dev.tandem.server.inspect.Dependencies;
import dev.tandem.server.inspect.DependencyInfo;
import dev.tandem.server.inspect.DependentInfo;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.BusinessId;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.FanOutIds;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what a task has to do with others: a bounded number of tasks and fan-outs, each by its name. Thread-safe. */
public final class RelationReader {

    /** The most tasks that are shown on each side. */
    private static final int MOST_TASKS = 20;

    /** The most fan-outs of a master that are shown: the last ones. */
    private static final int MOST_FAN_OUTS = 5;

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Dependencies dependencies;
    private final FanOutReader fanOuts;

    RelationReader(ConfiguredQueues queues, Inspection inspection, Dependencies dependencies, FanOutReader fanOuts) {
        this.queues = queues;
        this.inspection = inspection;
        this.dependencies = dependencies;
        this.fanOuts = fanOuts;
    }

    /** Returns the relations of a task, as far as a caller may see them. */
    TaskRelations of(String queue, TaskInfo info, Caller caller) {
        Task task = info.envelope() == null ? null : info.envelope().task();
        if (task == null) {
            return TaskRelations.NONE;
        }
        TaskDependencies its = TaskDependencies.of(task);
        List<BusinessId> on = its == null ? List.of() : its.on();
        List<Neighbour> awaited = its == null
                ? List.of()
                : dependencies
                        .of(
                                queue,
                                info.ref(),
                                new TaskDependencies(
                                        on.subList(0, Math.min(MOST_TASKS, on.size())),
                                        its.policy(),
                                        its.timeoutMillis()))
                        .stream()
                        .map(each -> awaited(each, caller))
                        .toList();
        String key = task.dedupKey();
        List<DependentInfo> waiting = key == null ? List.of() : dependencies.dependentsOf(new BusinessId(queue, key));
        return new TaskRelations(
                awaited,
                on.size() - awaited.size(),
                waiting.stream()
                        .limit(MOST_TASKS)
                        .map(each -> waiting(each, caller))
                        .toList(),
                Math.max(0, waiting.size() - MOST_TASKS),
                fanOuts(info.ref().in(queue), task, caller));
    }

    private static Neighbour awaited(DependencyInfo info, Caller caller) {
        boolean visible = caller.may(Permission.VIEW, info.queue());
        return new Neighbour(
                info.queue(),
                visible && info.id() != null ? info.id() : info.key(),
                !visible || info.ref() == null ? null : info.ref().toString(),
                !visible ? null : info.state() == null ? "unknown" : info.state(),
                null);
    }

    private Neighbour waiting(DependentInfo info, Caller caller) {
        String ref = info.ref().toString();
        QueueSettings settings = queues.all().get(info.queue());
        if (settings == null || !caller.may(Permission.VIEW, info.queue())) {
            return new Neighbour(info.queue(), ref, null, null, null);
        }
        TaskInfo found = inspection.task(info.queue(), info.ref()).orElse(null);
        if (found == null) {
            return new Neighbour(info.queue(), ref, ref, "unknown", null);
        }
        Subtask subtask =
                found.envelope() == null ? null : Subtask.of(found.envelope().task());
        return new Neighbour(
                info.queue(),
                TaskViews.id(info.queue(), settings, found),
                ref,
                Views.state(found),
                subtask == null ? null : subtask.fanOut());
    }

    private List<OfFanOut> fanOuts(TaskPlace place, Task task, Caller caller) {
        List<OfFanOut> all = new ArrayList<>();
        boolean visible = caller.may(Permission.VIEW, null);
        Subtask subtask = Subtask.of(task);
        if (subtask != null) {
            all.add(new OfFanOut(
                    Part.SUBTASK, subtask.fanOut(), subtask.number(), visible ? fanOut(subtask.fanOut()) : null));
        }
        String last = Subtask.finalOf(task);
        if (last != null) {
            all.add(new OfFanOut(Part.FINAL, last, null, visible ? fanOut(last) : null));
        }
        if (visible) {
            for (String id : begunBy(place, task)) {
                FanOutReader.View fanOut = fanOut(id);
                if (fanOut != null) {
                    all.add(new OfFanOut(Part.MASTER, id, null, fanOut));
                }
            }
        }
        return all;
    }

    /** Returns the fan-outs that a task has noted, and the one that a first run would begin, which it notes at its end. */
    private static List<String> begunBy(TaskPlace place, Task task) {
        String noted = task.headers().get(FannedOut.HEADER);
        Set<String> ids = new LinkedHashSet<>(noted == null ? List.of() : FannedOut.ids(noted));
        ids.add(FanOutIds.of(place.partition(), place.position(), task, ""));
        List<String> all = ids.stream().filter(Subtask::isId).toList();
        return all.subList(Math.max(0, all.size() - MOST_FAN_OUTS), all.size());
    }

    private FanOutReader.@Nullable View fanOut(String id) {
        return fanOuts.maybe(id).orElse(null);
    }
}
