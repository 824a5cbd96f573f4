package dev.tandem.server.runtime;

import static dev.tandem.server.runtime.RedisCalls.await;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.server.inspect.GrowthInfo;
import dev.tandem.server.inspect.GrowthInfo.EarlierPartition;
import dev.tandem.task.Partition;
import dev.tandem.task.store.LookBack;
import dev.tandem.task.store.PartitionHistory;
import dev.tandem.task.store.PartitionHistory.Growth;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/** Reads how far changes of topics to more partitions are. */
final class RedisGrowths {

    /** More than any offset. */
    private static final long ANY_OFFSET = 1L << 52;

    private final RedisStore store;

    RedisGrowths(RedisStore store) {
        this.store = store;
    }

    OptionalInt noticedPartitions(String queue) {
        return await(store.partitionHistory(queue)).stream()
                .mapToInt(PartitionHistory::partitions)
                .findFirst();
    }

    List<GrowthInfo> of(String queue) {
        PartitionHistory history = await(store.partitionHistory(queue)).orElse(null);
        if (history == null) {
            return List.of();
        }
        List<GrowthInfo> all = new ArrayList<>();
        for (int i = 0; i < history.growths().size(); i++) {
            Growth growth = history.growths().get(i);
            boolean isLast = i + 1 == history.growths().size();
            all.add(new GrowthInfo(
                    growth.from(),
                    isLast ? history.partitions() : history.growths().get(i + 1).from(),
                    Instant.ofEpochMilli(growth.since()),
                    Instant.ofEpochMilli(growth.openUntil()),
                    growth.isOpen(),
                    partitions(queue, history, growth)));
        }
        return all;
    }

    private List<EarlierPartition> partitions(String queue, PartitionHistory history, Growth growth) {
        List<CompletionStage<LookBack.Answer>> answers = new ArrayList<>();
        for (int i = 0; i < growth.from(); i++) {
            long below = growth.isOpen() ? ANY_OFFSET : growth.ends().get(i);
            answers.add(store.lookBack(Partition.of(queue, i), new LookBack(history.sourceId(), List.of(), below)));
        }
        List<EarlierPartition> partitions = new ArrayList<>();
        for (int i = 0; i < growth.from(); i++) {
            int number = i;
            LookBack.Answer answer = await(answers.get(i));
            List<String> moved = answer.listed().stream()
                    .filter(key -> KafkaPublisher.partitionOf(key, growth.from()) == number
                            && history.moves(count -> KafkaPublisher.partitionOf(key, count)))
                    .toList();
            partitions.add(new EarlierPartition(
                    Integer.toString(i),
                    growth.isOpen() ? null : growth.ends().get(i),
                    answer.storedCommit() < 0 ? null : answer.storedCommit(),
                    moved,
                    !answer.all()));
        }
        return partitions;
    }
}
