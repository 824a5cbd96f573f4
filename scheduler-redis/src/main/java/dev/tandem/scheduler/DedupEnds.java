package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Bearer;
import dev.tandem.task.store.DedupRequest.Ending;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Passes on that tasks with deduplication keys ended without a run, because an operator cancelled them or they died behind
 * another one, so that their keys are free. Each is taken off its partition's list only when its bucket has answered.
 */
final class DedupEnds {

    /** How many are passed on at once. */
    private static final int PIECE = 100;

    private final AdminConnection connection;

    DedupEnds(AdminConnection connection) {
        this.connection = connection;
    }

    /** Passes all of a partition on. Returns how many. */
    CompletableFuture<Long> passOn(Partition partition) {
        byte[] list = connection.keys().dedupEnds(partition);
        return connection.run(commands -> commands.lrange(list, 0, PIECE - 1)).thenCompose(ends -> {
            List<CompletableFuture<?>> told = new ArrayList<>(ends.size());
            for (byte[] end : ends) {
                told.add(passOn(partition, new String(end, StandardCharsets.UTF_8))
                        .thenCompose(answer -> connection.run(commands -> commands.lrem(list, 1, end))));
            }
            CompletableFuture<Long> all = CompletableFuture.allOf(told.toArray(CompletableFuture[]::new))
                    .thenApply(done -> (long) ends.size());
            return ends.size() < PIECE ? all : all.thenCompose(count -> passOn(partition));
        });
    }

    private CompletableFuture<List<Object>> passOn(Partition partition, String end) {
        int space = end.indexOf(' ');
        String key = end.substring(space + 1);
        Bearer task = Bearer.of(partition.name(), new Position(end.substring(0, space)), false, "");
        String queue = partition.queue();
        byte[][] keys = {connection.keys().dedup(queue, DedupBuckets.of(queue, key), key)};
        return connection.runScript(
                Script.DEDUPLICATE, keys, DedupCodec.encode(new DedupRequest.Tell(key, task, Ending.FAILED, 0)));
    }
}
