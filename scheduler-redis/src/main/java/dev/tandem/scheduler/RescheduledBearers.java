package dev.tandem.scheduler;

import dev.tandem.scheduler.TaskChanges.Item;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.DedupRequest;
import dev.tandem.task.store.DedupRequest.Ending;
import dev.tandem.task.store.TaskIdentity;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells buckets that an operator has given tasks with deduplication keys another time: later tasks with these keys are judged by
 * it. Thread-safe.
 */
final class RescheduledBearers {

    private static final Logger log = LoggerFactory.getLogger(RescheduledBearers.class);

    private final RedisBuckets buckets;

    RescheduledBearers(AdminConnection connection) {
        this.buckets = new RedisBuckets(connection);
    }

    /**
     * Tells the buckets of those tasks whose time was changed.
     *
     * @param results a code for each task
     * @param dueAt epoch milliseconds
     * @return completes when the buckets have answered; does not fail, since the tasks have their time in any case
     */
    CompletableFuture<Void> rescheduled(Partition partition, List<Item> items, List<Integer> results, long dueAt) {
        long delay = Math.max(0, dueAt - System.currentTimeMillis());
        Map<Integer, List<DedupRequest>> told = new HashMap<>();
        for (int i = 0; i < results.size(); i++) {
            Item item = items.get(i);
            Envelope envelope = item.seen() == null ? null : item.seen().envelope();
            String key = envelope == null ? null : envelope.task().dedupKey();
            if (key != null && envelope != null && results.get(i) == ScriptCodes.CHANGE_DONE) {
                TaskIdentity task = TaskIdentity.of(partition.name(), item.position(), false, "")
                        .inRun(envelope.token());
                told.computeIfAbsent(DedupBuckets.of(partition.queue(), key), bucket -> new ArrayList<>())
                        .add(new DedupRequest.Tell(key, task, Ending.LATER, delay));
            }
        }
        return CompletableFuture.allOf(told.entrySet().stream()
                        .map(each -> buckets.dedup(partition.queue(), each.getKey(), each.getValue()))
                        .toArray(CompletableFuture[]::new))
                .exceptionally(failure -> {
                    log.warn(
                            "Queue {}: tasks of {} have another time, but Redis did not answer about their deduplication"
                                    + " keys, so later tasks with these keys are judged by the time before: {}",
                            partition.queue(),
                            partition,
                            RedisFailures.describe(failure));
                    return null;
                });
    }
}
