package dev.tandem.server.runtime;

import dev.tandem.scheduler.RedisStatistics;
import dev.tandem.server.inspect.StatisticsReader;
import dev.tandem.task.statistics.QueueStatistics;
import dev.tandem.task.statistics.StatisticsStep;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Reads the statistics in Redis. */
final class StoredStatistics implements StatisticsReader {

    private final RedisStatistics statistics;

    StoredStatistics(RedisStatistics statistics) {
        this.statistics = statistics;
    }

    @Override
    public QueueStatistics read(String queue, StatisticsStep kept, int stepMinutes, int count) {
        return RedisCalls.await(statistics.read(queue, kept, stepMinutes, count));
    }

    /** Sends one request for each queue, all at once. */
    @Override
    public Map<String, QueueStatistics> minutes(Collection<String> queues, int count) {
        StatisticsStep minute = StatisticsStep.MINUTE;
        Map<String, CompletableFuture<QueueStatistics>> asked = new LinkedHashMap<>();
        for (String queue : queues) {
            asked.computeIfAbsent(queue, each -> statistics.read(each, minute, minute.minutes(), count));
        }
        Map<String, QueueStatistics> read = new LinkedHashMap<>();
        asked.forEach((queue, answer) -> read.put(queue, RedisCalls.await(answer)));
        return read;
    }
}
