package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskDependencies;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.TaskWaits;
import dev.tandem.task.store.WaitAnswer;
import dev.tandem.task.store.WaitRequest;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Knows which tasks wait for which others. Thread-safe. */
public final class Waits implements TaskWaits {

    private static final String BEGINNING = "0";

    private final RedisBuckets buckets;
    private final AdminConnection connection;
    private final Inspector inspector;

    Waits(RedisBuckets buckets, Inspector inspector) {
        this.buckets = buckets;
        this.connection = buckets.connection();
        this.inspector = inspector;
    }

    /** Returns what is known of the tasks that a task waits for, in their order. */
    public CompletableFuture<List<AwaitedView>> of(Waiter task, TaskDependencies its) {
        return Futures.all(its.on(), on -> of(task, on));
    }

    private CompletableFuture<AwaitedView> of(Waiter task, BusinessId on) {
        byte[][] keys = {
            connection.keys().dedup(on.queue(), DedupBuckets.of(on), on.key()),
            connection.keys().waiting(on.queue(), DedupBuckets.of(on), on.key())
        };
        byte[] field = bytes(task.partition() + "/" + task.position().text());
        return connection.runScript(Script.SHOW_WAIT, keys, field).thenApply(reply -> WaitCodec.view(on, reply));
    }

    /** Returns tasks that wait for the one with an id, in no order. @param limit about how many */
    public CompletableFuture<List<Waiter>> waitingFor(BusinessId on, int limit) {
        byte[][] keys = {connection.keys().waiting(on.queue(), DedupBuckets.of(on), on.key())};
        return connection
                .runScript(Script.LIST_WAITING, keys, bytes(BEGINNING), bytes(Integer.toString(limit)))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    in.text(); // Where the list goes on.
                    List<Waiter> those = new ArrayList<>();
                    while (in.hasMore()) {
                        Waiter each = new Waiter(new Partition(in.text(), in.text()), new Position(in.text()));
                        in.number(); // Since when it waits.
                        if (!in.flag() && those.size() < limit) {
                            those.add(each);
                        }
                    }
                    return those;
                });
    }

    @Override
    public CompletableFuture<List<WaitAnswer>> await(int bucket, List<WaitRequest> requests) {
        return buckets.await(bucket, requests);
    }

    @Override
    public CompletableFuture<Optional<String>> findCycle(Waiter task, TaskDependencies its, String name) {
        return new WaitCycle(task, each -> each.equals(task) ? edgesOf(task, its) : edgesOf(each)).find(name);
    }

    /** Returns what holds a task up now: the tasks that it waits for, or the head of its key. */
    CompletableFuture<List<WaitCycle.Edge>> edgesOf(Waiter task) {
        return inspector.task(task.partition(), task.position()).thenCompose(found -> {
            TaskView view = found.orElse(null);
            if (view == null || view.state().isFinal()) {
                return CompletableFuture.completedFuture(List.of());
            }
            Position head = view.head();
            if (head != null && !head.equals(task.position())) {
                Waiter it = new Waiter(task.partition(), head);
                return CompletableFuture.completedFuture(List.of(new WaitCycle.Edge(
                        it, "@" + task.partition().name() + "/" + head + ", the head of its key", 0)));
            }
            Envelope envelope = view.envelope();
            TaskDependencies its = envelope == null ? null : TaskDependencies.of(envelope.task());
            return its == null ? CompletableFuture.completedFuture(List.of()) : edgesOf(task, its);
        });
    }

    /** Returns what holds a task up that waits for others. */
    CompletableFuture<List<WaitCycle.Edge>> edgesOf(Waiter task, TaskDependencies its) {
        return of(task, its).thenApply(views -> {
            List<WaitCycle.Edge> edges = new ArrayList<>();
            for (AwaitedView view : views) {
                Partition partition = view.partition();
                Position position = view.position();
                if (view.holdsUp() && partition != null && position != null) {
                    Waiter it = new Waiter(partition, position);
                    edges.add(new WaitCycle.Edge(it, view.on().toString(), view.since()));
                }
            }
            return edges;
        });
    }
}
