package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.BusinessId;
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

    /** Returns what is known of the task with an id, for one that may wait for it. */
    CompletableFuture<AwaitedView> of(Waiter task, BusinessId on) {
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
        return new WaitCycle(task, name, new WaitGraph(task, its, this, inspector, buckets)).find();
    }
}
