package dev.tandem.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.it.RunHistory.Run;
import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.testkit.Brokers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A topic gets more partitions, so that keys move: their tasks wait for those in their former partitions. */
@Execution(ExecutionMode.CONCURRENT)
class GrownTopicIT {

    private static final int BEFORE = 2;

    /** No multiple, so that keys also move from one of the former partitions to another. */
    private static final int AFTER = 3;

    private static final int RETRY_MILLIS = 15_000;

    private static final int LEASE_MILLIS = 4_000;

    private static final List<String> KEYS =
            IntStream.range(0, 40).mapToObj(i -> "k" + i).toList();

    @Test
    void orderOfKeysThatMoveHoldsAlthoughAnExecutorIsKilled() throws Exception {
        try (KafkaTestQueue topic = new KafkaTestQueue("grown", BEFORE);
                WorkerProcess victim = topic.startProcess(options(topic));
                WorkerProcess survivor = topic.startProcess(options(topic));
                RedisStore store =
                        RedisStore.open(RedisSettings.of(Brokers.redis().uri()))) {
            topic.awaitWorkers(2);
            awaitPartitions(store, topic, BEFORE);
            for (String key : KEYS) {
                topic.send(key, 0, "ok");
                topic.send(key, 1, isSlow(key) ? "fail-once" : "work");
            }
            KEYS.stream().filter(GrownTopicIT::isSlow).forEach(key -> topic.awaitStarted(key + "-1"));

            topic.grow(AFTER);
            // By a producer that does not know yet, then by one that does.
            KEYS.forEach(key -> topic.send(key, 2, "ok"));
            topic.learnPartitions();
            KEYS.forEach(key -> topic.send(key, 3, "work"));
            KEYS.forEach(key -> topic.send(key, 4, "ok"));

            topic.flush();
            await("other keys go on")
                    .atMost(TestQueue.PATIENCE)
                    .until(() -> topic.history()
                            .succeeded()
                            .containsAll(KEYS.stream()
                                    .filter(key -> !isSlow(key))
                                    .map(key -> key + "-4")
                                    .toList()));
            RunHistory then = topic.history();
            // Read afterwards: on a slow machine, the second attempts may have come by now.
            Set<String> over = topic.history().succeeded();
            assertThat(KEYS.stream().filter(key -> isSlow(key) && moves(key) && !over.contains(key + "-1")))
                    .allSatisfy(key -> assertThat(then.runsOf(key + "-3"))
                            .as("%s-3 waits for %s-1, which is tried again later", key, key)
                            .isEmpty());
            victim.kill();

            topic.awaitAllSucceeded();
            topic.awaitAllCommitted();
            topic.history().assertOrderAndExclusion("", GrownTopicIT::moveWithinALease);
            assertThat(topic.runsOf(survivor)).extracting(Run::key).isNotEmpty();
            awaitPartitions(store, topic, AFTER);
        }
    }

    private static TestWorker.Options options(KafkaTestQueue topic) {
        return topic.worker().retrying(RETRY_MILLIS, 4).leasedFor(LEASE_MILLIS);
    }

    /** Tokens are promised to grow between partitions if a lease lies between the starts, since the owners are new here. */
    private static boolean moveWithinALease(Run before, Run after) {
        return isOfFormer(before) != isOfFormer(after)
                && after.start() - before.start() < TimeUnit.MILLISECONDS.toNanos(LEASE_MILLIS);
    }

    /** Returns whether a task was published before the producer knew the new partitions. */
    private static boolean isOfFormer(Run run) {
        return run.number() <= 2;
    }

    private static void awaitPartitions(RedisStore store, KafkaTestQueue topic, int count) {
        await("only these partitions are known").atMost(TestQueue.PATIENCE).until(() -> {
            Optional<PartitionHistory> history =
                    store.partitionHistory(topic.name()).toCompletableFuture().get(60, TimeUnit.SECONDS);
            return history.isPresent()
                    && history.get().partitions() == count
                    && history.get().growths().isEmpty();
        });
    }

    private static boolean isSlow(String key) {
        return key.endsWith("1") || key.endsWith("5");
    }

    private static boolean moves(String key) {
        int hash = Utils.toPositive(Utils.murmur2(key.getBytes(StandardCharsets.UTF_8)));
        return hash % BEFORE != hash % AFTER;
    }
}
