package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.TaskCounts;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says in a word or two how a queue is, and in sentences what is wrong with it. Pure.
 *
 * @param word the first that applies of: no redis, no broker, paused, no owner, {@code n} partitions unowned, full, slowed,
 *     running
 * @param problems sentences for people, for all that applies
 */
record QueueState(String word, List<String> problems) {

    /**
     * Judges a queue.
     *
     * @param unavailable why Redis did not answer this request; null if it did
     * @param known the partitions that Redis knows; empty if it did not answer
     * @param lags the backlog by partition, as the broker told it; empty if it did not
     */
    static QueueState of(
            QueueSettings settings,
            LocalQueue local,
            @Nullable String unavailable,
            boolean paused,
            List<PartitionInfo> known,
            Map<String, Long> lags) {
        List<String> words = new ArrayList<>();
        List<String> problems = new ArrayList<>();
        String redis = unavailable == null ? local.redisProblem() : unavailable;
        if (redis != null) {
            words.add("no redis");
            problems.add(redis);
        }
        if (local.brokerProblem() != null) {
            words.add("no broker");
            problems.add((settings.effectiveSource() == SourceType.KAFKA ? "Kafka: " : "RabbitMQ: ")
                    + local.brokerProblem());
        }
        if (paused) {
            words.add("paused");
        }
        if (unavailable == null) {
            addUnowned(settings, known, lags, words, problems);
        }
        if (local.full() || known.stream().anyMatch(partition -> isFull(partition, settings))) {
            words.add("full");
        }
        if (local.withheld() != null) {
            words.add("slowed");
            problems.add("In this server, " + local.withheld());
        }
        if (local.problem() != null && words.isEmpty()) {
            problems.add("In this server: " + local.problem());
        }
        if (local.waits() != null) {
            problems.add("In this server, " + local.waits());
        }
        return new QueueState(words.isEmpty() ? "running" : words.get(0), List.copyOf(problems));
    }

    private static void addUnowned(
            QueueSettings settings,
            List<PartitionInfo> known,
            Map<String, Long> lags,
            List<String> words,
            List<String> problems) {
        long expected = 0;
        List<String> unowned = new ArrayList<>();
        for (PartitionInfo partition : known) {
            if (needsOwner(settings, partition, lags)) {
                expected++;
                if (partition.owner() == null) {
                    unowned.add(partition.partition());
                }
            }
        }
        List<String> neverOwned = lags.keySet().stream()
                .filter(name -> !name.isEmpty())
                .filter(name ->
                        known.stream().noneMatch(each -> each.partition().equals(name)))
                .toList();
        expected += neverOwned.size();
        unowned.addAll(neverOwned);
        if (unowned.isEmpty() && expected > 0) {
            return;
        }
        if (unowned.size() == expected) {
            words.add("no owner");
            problems.add("No executor works on this queue: start a server, or look at what the servers' health says");
        } else {
            words.add(unowned.size() + (unowned.size() == 1 ? " partition unowned" : " partitions unowned"));
            problems.add("No executor owns " + (unowned.size() == 1 ? "partition " : "partitions ")
                    + String.join(", ", unowned.subList(0, Math.min(20, unowned.size())))
                    + (unowned.size() > 20 ? ", ..." : "") + ", so their tasks wait");
        }
    }

    /** Whether the broker has the partition, or Redis has tasks of it. Redis remembers partitions that are gone. */
    private static boolean needsOwner(QueueSettings settings, PartitionInfo partition, Map<String, Long> lags) {
        TaskCounts counts = partition.counts();
        return lags.containsKey(partition.partition())
                || counts.active() + counts.scheduled() + counts.retry() + counts.parked() > 0
                || settings.effectiveSource() == SourceType.RABBIT
                        && isBelow(partition.partition(), settings.partitions());
    }

    private static boolean isBelow(String partition, int count) {
        return partition.matches("\\d{1,9}") && Integer.parseInt(partition) < count;
    }

    private static boolean isFull(PartitionInfo partition, QueueSettings settings) {
        return partition.full() != null || Views.TooManyBlockedKeys.of(partition.blockedKeys(), settings) != null;
    }
}
