package dev.tandem.scheduler;

import dev.tandem.scheduler.DependencyCycle.Edge;
import dev.tandem.scheduler.DependencyCycle.FanOutOf;
import dev.tandem.scheduler.DependencyCycle.Held;
import dev.tandem.scheduler.DependencyCycle.HeldUp;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads for one search which tasks hold up which others. */
final class DependencyGraph implements DependencyCycle.Graph {

    private final TaskPlace start;
    private final TaskDependencies its;
    private final DependencyBook book;
    private final Inspector inspector;
    private final RedisBuckets buckets;
    /** The tasks that were read with others. */
    private final Map<TaskPlace, TaskView> known = new ConcurrentHashMap<>();

    /** @param its what the start waits for */
    DependencyGraph(
            TaskPlace start, TaskDependencies its, DependencyBook book, Inspector inspector, RedisBuckets buckets) {
        this.start = start;
        this.its = its;
        this.book = book;
        this.inspector = inspector;
        this.buckets = buckets;
    }

    // ---- what holds a task up

    @Override
    public CompletableFuture<List<Edge>> edgesOf(TaskPlace task) {
        if (task.equals(start)) {
            return edgesOf(task, its);
        }
        return view(task).thenCompose(view -> {
            if (view == null) {
                return CompletableFuture.completedFuture(List.of());
            }
            Position head = view.head();
            if (head != null && !head.equals(task.position())) {
                Edge edge = Edge.behindHead(new TaskPlace(task.partition(), head));
                return CompletableFuture.completedFuture(List.of(edge));
            }
            Envelope envelope = view.envelope();
            TaskDependencies others = envelope == null ? null : TaskDependencies.of(envelope.task());
            return others == null ? CompletableFuture.completedFuture(List.of()) : edgesOf(task, others);
        });
    }

    private CompletableFuture<List<Edge>> edgesOf(TaskPlace task, TaskDependencies others) {
        return book.of(task, others).thenApply(views -> {
            List<Edge> edges = new ArrayList<>();
            for (DependencyView view : views) {
                TaskPlace bearer = view.bearer();
                boolean counts = bearer == null ? view.isMissed() : view.holdsUp();
                if (counts) {
                    edges.add(new Edge(bearer, view.on(), view.on().toString(), view.since()));
                }
            }
            return edges;
        });
    }

    /** Returns a task that has not ended; null if nothing is known of it. */
    private CompletableFuture<@Nullable TaskView> view(TaskPlace task) {
        TaskView read = known.get(task);
        return read != null
                ? CompletableFuture.completedFuture(read)
                : inspector
                        .task(task.partition(), task.position())
                        .thenApply(found ->
                                found.filter(each -> !each.state().isFinal()).orElse(null));
    }

    // ---- what a task holds up

    @Override
    public CompletableFuture<HeldUp> heldUpBy(TaskPlace task) {
        return view(task).thenCompose(view -> {
            Envelope envelope = view == null ? null : view.envelope();
            return view == null || envelope == null
                    ? CompletableFuture.completedFuture(HeldUp.NOTHING)
                    : heldUpBy(task, view, envelope.task());
        });
    }

    private CompletableFuture<HeldUp> heldUpBy(TaskPlace task, TaskView view, Task its) {
        String name = its.id() == null ? "@" + task.partition().name() + "/" + task.position() : its.id();
        CompletableFuture<List<Held>> direct =
                dependentsOf(task, its).thenCombine(parkedBehind(task, view, its), DependencyGraph::concat);
        return fanOutsOf(Subtask.of(its))
                .thenCompose(fanOuts -> Futures.all(fanOuts, each -> dependentsOf(task, each))
                        .thenCombine(
                                direct, (those, others) -> new HeldUp(name, fanOuts, concat(flat(those), others))));
    }

    /** Returns the tasks that wait for a task by its business id. */
    private CompletableFuture<List<Held>> dependentsOf(TaskPlace task, Task its) {
        String key = its.dedupKey();
        return key == null
                ? CompletableFuture.completedFuture(List.of())
                : dependentsOf(
                        task,
                        new BusinessId(its.queue(), key),
                        null,
                        view -> view.holdsUp() && task.equals(view.bearer()));
    }

    /** Returns the tasks that wait for the final task of a fan-out. */
    private CompletableFuture<List<Held>> dependentsOf(TaskPlace task, FanOutOf fanOut) {
        return dependentsOf(task, fanOut.on(), fanOut, DependencyView::isMissed);
    }

    /** Returns the tasks that wait for an id. @param task any, as which the store is asked whether it is worth a look */
    private CompletableFuture<List<Held>> dependentsOf(
            TaskPlace task, BusinessId on, @Nullable FanOutOf fanOut, Predicate<DependencyView> counts) {
        return book.of(task, on).thenCompose(seen -> {
            if (seen.waiting() == 0) {
                return CompletableFuture.completedFuture(List.of());
            }
            return book.dependentsOf(on, DependencyCycle.MAX_TASKS)
                    .thenCompose(those -> Futures.all(
                            those,
                            each -> book.of(each, on)
                                    .thenApply(view -> counts.test(view)
                                            ? List.of(new Held(each, fanOut, on.toString(), view.since()))
                                            : List.<Held>of())))
                    .thenApply(DependencyGraph::flat);
        });
    }

    private CompletableFuture<List<Held>> parkedBehind(TaskPlace task, TaskView view, Task its) {
        String key = its.key();
        if (key == null || !task.position().equals(view.head())) {
            return CompletableFuture.completedFuture(List.of());
        }
        return inspector
                .keys()
                .parkedBehind(task.partition(), key, DependencyCycle.MAX_TASKS)
                .thenApply(views -> views.stream()
                        .map(each -> {
                            TaskPlace parked = new TaskPlace(each.partition(), each.position());
                            known.put(parked, each);
                            return new Held(parked, null, DependencyCycle.nameOfHead(task), 0);
                        })
                        .toList());
    }

    // ---- fan-outs

    /** Returns the fan-outs that cannot end before a subtask has, by whose final tasks others can wait for them. */
    private CompletableFuture<List<FanOutOf>> fanOutsOf(@Nullable Subtask subtask) {
        if (subtask == null) {
            return CompletableFuture.completedFuture(List.of());
        }
        String id = subtask.fanOut();
        CompletionStage<List<FanOutAnswer>> answers = buckets.fanOut(
                FanOutBuckets.of(id), List.of(new FanOutRequest.View(id), new FanOutRequest.Ask(id, subtask.number())));
        return answers.toCompletableFuture().thenCompose(both -> {
            FanOutRecord record = both.get(0).record();
            boolean counts = record != null
                    && record.phase() != FanOutRecord.Phase.COMPLETE
                    && both.get(1).code() == FanOutAnswer.Code.OK;
            if (record == null || !counts) {
                return CompletableFuture.completedFuture(List.of());
            }
            BusinessId on = finalIdOf(record.plan());
            List<FanOutOf> its = on == null ? List.of() : List.of(new FanOutOf(on, id));
            return fanOutsOf(Subtask.parse(record.plan().parent())).thenApply(outer -> concat(its, outer));
        });
    }

    private static @Nullable BusinessId finalIdOf(FanOutPlan plan) {
        if (plan.finalQueue().isEmpty()) {
            return null;
        }
        String key = Envelope.decode(plan.finalQueue(), plan.finalTask()).task().dedupKey();
        return key == null ? null : new BusinessId(plan.finalQueue(), key);
    }

    private static <T> List<T> concat(List<T> one, List<T> other) {
        List<T> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    private static <T> List<T> flat(List<List<T>> lists) {
        return lists.stream().flatMap(List::stream).toList();
    }
}
