package dev.tandem.scheduler;

import dev.tandem.scheduler.WaitCycle.Edge;
import dev.tandem.scheduler.WaitCycle.FanOutOf;
import dev.tandem.scheduler.WaitCycle.Held;
import dev.tandem.scheduler.WaitCycle.HeldUp;
import dev.tandem.task.BusinessId;
import dev.tandem.task.Envelope;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.Subtask;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Reads for one search which tasks hold up which others. */
final class WaitGraph implements WaitCycle.Graph {

    private final Waiter start;
    private final TaskDependencies its;
    private final Waits waits;
    private final Inspector inspector;
    private final RedisBuckets buckets;
    /** The tasks that were read with others. */
    private final Map<Waiter, TaskView> known = new ConcurrentHashMap<>();

    /** @param its what the start waits for */
    WaitGraph(Waiter start, TaskDependencies its, Waits waits, Inspector inspector, RedisBuckets buckets) {
        this.start = start;
        this.its = its;
        this.waits = waits;
        this.inspector = inspector;
        this.buckets = buckets;
    }

    // ---- what holds a task up

    @Override
    public CompletableFuture<List<Edge>> edgesOf(Waiter task) {
        if (task.equals(start)) {
            return edgesOf(task, its);
        }
        return view(task).thenCompose(view -> {
            if (view == null) {
                return CompletableFuture.completedFuture(List.of());
            }
            Position head = view.head();
            if (head != null && !head.equals(task.position())) {
                Edge edge = Edge.behindHead(new Waiter(task.partition(), head));
                return CompletableFuture.completedFuture(List.of(edge));
            }
            Envelope envelope = view.envelope();
            TaskDependencies others = envelope == null ? null : TaskDependencies.of(envelope.task());
            return others == null ? CompletableFuture.completedFuture(List.of()) : edgesOf(task, others);
        });
    }

    private CompletableFuture<List<Edge>> edgesOf(Waiter task, TaskDependencies others) {
        return waits.of(task, others).thenApply(views -> {
            List<Edge> edges = new ArrayList<>();
            for (AwaitedView view : views) {
                Waiter bearer = view.bearer();
                boolean counts = bearer == null ? view.isMissed() : view.holdsUp();
                if (counts) {
                    edges.add(new Edge(bearer, view.on(), view.on().toString(), view.since()));
                }
            }
            return edges;
        });
    }

    /** Returns a task that has not ended; null if nothing is known of it. */
    private CompletableFuture<@Nullable TaskView> view(Waiter task) {
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
    public CompletableFuture<HeldUp> heldUpBy(Waiter task) {
        return view(task).thenCompose(view -> {
            Envelope envelope = view == null ? null : view.envelope();
            return view == null || envelope == null
                    ? CompletableFuture.completedFuture(HeldUp.NOTHING)
                    : heldUpBy(task, view, envelope.task());
        });
    }

    private CompletableFuture<HeldUp> heldUpBy(Waiter task, TaskView view, Task its) {
        String name = its.id() == null ? "@" + task.partition().name() + "/" + task.position() : its.id();
        CompletableFuture<List<Held>> direct =
                waitersOf(task, its).thenCombine(parkedBehind(task, view, its), WaitGraph::concat);
        return fanOutsOf(Subtask.of(its))
                .thenCompose(fanOuts -> Futures.all(fanOuts, each -> waitersOf(task, each))
                        .thenCombine(
                                direct, (those, others) -> new HeldUp(name, fanOuts, concat(flat(those), others))));
    }

    /** Returns the tasks that wait for a task by its business id. */
    private CompletableFuture<List<Held>> waitersOf(Waiter task, Task its) {
        String key = its.dedupKey();
        return key == null
                ? CompletableFuture.completedFuture(List.of())
                : waitersOf(
                        task,
                        new BusinessId(its.queue(), key),
                        null,
                        view -> view.holdsUp() && task.equals(view.bearer()));
    }

    /** Returns the tasks that wait for the final task of a fan-out. */
    private CompletableFuture<List<Held>> waitersOf(Waiter task, FanOutOf fanOut) {
        return waitersOf(task, fanOut.on(), fanOut, AwaitedView::isMissed);
    }

    /** Returns the tasks that wait for an id. @param task any, as which the store is asked whether it is worth a look */
    private CompletableFuture<List<Held>> waitersOf(
            Waiter task, BusinessId on, @Nullable FanOutOf fanOut, Predicate<AwaitedView> counts) {
        return waits.of(task, on).thenCompose(seen -> {
            if (seen.waiting() == 0) {
                return CompletableFuture.completedFuture(List.of());
            }
            return waits.waitingFor(on, WaitCycle.MAX_TASKS)
                    .thenCompose(those -> Futures.all(
                            those,
                            each -> waits.of(each, on)
                                    .thenApply(view -> counts.test(view)
                                            ? List.of(new Held(each, fanOut, on.toString(), view.since()))
                                            : List.<Held>of())))
                    .thenApply(WaitGraph::flat);
        });
    }

    private CompletableFuture<List<Held>> parkedBehind(Waiter task, TaskView view, Task its) {
        String key = its.key();
        if (key == null || !task.position().equals(view.head())) {
            return CompletableFuture.completedFuture(List.of());
        }
        return inspector
                .parkedBehind(task.partition(), key, WaitCycle.MAX_TASKS)
                .thenApply(views -> views.stream()
                        .map(each -> {
                            Waiter parked = new Waiter(each.partition(), each.position());
                            known.put(parked, each);
                            return new Held(parked, null, WaitCycle.nameOfHead(task), 0);
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
