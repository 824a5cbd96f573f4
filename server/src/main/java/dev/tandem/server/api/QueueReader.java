package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.LocalQueues;
import dev.tandem.server.inspect.LocalQueues.LocalQueue;
import dev.tandem.server.inspect.OldestWait;
import dev.tandem.server.inspect.Overview;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.QueueFacts;
import dev.tandem.server.inspect.QueueHandlers;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.store.HeldQuestion;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PausedTasks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads queues from Redis, the brokers and this process, for the API and the console. Thread-safe. */
public final class QueueReader {

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Backlog backlog;
    private final LocalQueues local;
    private final MemoryReports memory;

    QueueReader(ConfiguredQueues queues, Inspection inspection, Backlog backlog, LocalQueues local) {
        this.queues = queues;
        this.inspection = inspection;
        this.backlog = backlog;
        this.local = local;
        this.memory = new MemoryReports(this::inMemory, System::nanoTime);
    }

    /** Returns all queues of this server's settings with their partitions. */
    public List<Views.Queue> all() {
        return all(overview());
    }

    /** Returns the same from what was read already. */
    public List<Views.Queue> all(Overview overview) {
        List<Views.Queue> all = new ArrayList<>();
        queues.all().forEach((name, settings) -> all.add(view(name, settings, overview)));
        return all;
    }

    /** Reads what Redis has of all queues of this server's settings. */
    public Overview overview() {
        return inspection.overview(queues.all().keySet());
    }

    /**
     * Returns a queue with its partitions, and what their owners have in memory. They are asked for that every five seconds at most,
     * and have 200 ms to answer.
     *
     * @throws ApiException if this server's settings have no such queue
     */
    public Views.Queue whole(String queue) {
        Views.Queue known = one(queue);
        return known.with(memory.of(known));
    }

    /**
     * Returns a queue with its partitions, but without what their owners have in memory.
     *
     * @throws ApiException if this server's settings have no such queue
     */
    public Views.Queue one(String queue) {
        QueueSettings settings = queues.get(queue);
        return view(queue, settings, inspection.overview(List.of(queue)));
    }

    /** Does nothing but check that there is such a queue. @throws ApiException if this server's settings have none */
    public void require(String queue) {
        queues.get(queue);
    }

    /**
     * Asks the owners of partitions how many tasks of them wait or run in their memory. Waits for 200 ms at most. Of those who
     * have not answered by then, the partitions are missing.
     *
     * @param queue with its partitions
     */
    private Map<String, PartitionReport> inMemory(Views.Queue queue) {
        Set<String> owners = Stream.ofNullable(queue.partitions())
                .flatMap(List::stream)
                .flatMap(partition -> Stream.ofNullable(partition.owner()))
                .collect(Collectors.toSet());
        if (owners.isEmpty()) {
            return Map.of();
        }
        HeldQuestion question = new HeldQuestion("", HeldQuestion.Kind.COUNT, "");
        Map<String, PartitionReport> reports = new HashMap<>();
        inspection
                .held(queue.name(), question, owners)
                .partitions()
                .forEach(report -> reports.put(report.partition(), report));
        return reports;
    }

    private Views.Queue view(String name, QueueSettings settings, Overview overview) {
        QueueFacts facts = overview.queues().getOrDefault(name, QueueFacts.unknown("Redis did not answer"));
        List<PartitionInfo> partitions = facts.partitions();
        String unavailable = facts.unavailable();
        boolean paused = facts.paused();
        PausedTasks pausedTasks = facts.pausedTasks();
        Map<String, Long> lags = backlog.of(name);
        LocalQueue here = local.of(name);
        QueueState state = QueueState.of(settings, here, unavailable, paused, partitions, lags)
                .with(overview.handlers().getOrDefault(name, QueueHandlers.NONE))
                .with(name, pausedTasks);
        if (paused) {
            state = state.with(Sentence.of("queue.paused", name));
        }
        TaskCounts counts = partitions.stream().map(PartitionInfo::counts).reduce(TaskCounts.NONE, TaskCounts::plus);
        long blocked = partitions.stream().mapToLong(PartitionInfo::blockedKeys).sum();
        long events = partitions.stream().mapToLong(PartitionInfo::eventBytes).sum();
        boolean known = unavailable == null;
        return new Views.Queue(
                name,
                Views.lower(settings.effectiveSource()),
                Views.lower(settings.effectiveOrdering()),
                state.word(),
                state.problems().isEmpty() ? null : state.problems(),
                known ? paused : null,
                pausedTasks.types().isEmpty()
                        ? null
                        : pausedTasks.types().stream().sorted().toList(),
                pausedTasks.keys().isEmpty()
                        ? null
                        : pausedTasks.keys().stream().sorted().toList(),
                here.withheld(),
                lags.isEmpty()
                        ? null
                        : lags.values().stream().mapToLong(lag -> lag).sum(),
                known ? blocked : null,
                null,
                null,
                known ? counts : null,
                known ? Views.QueueLimit.of(facts.limit(), settings) : null,
                known ? OldestWait.of(partitions, lags) : null,
                known ? PartitionInfo.totals(partitions) : null,
                events == 0 ? null : events,
                partitions(settings, partitions, lags, known));
    }

    /**
     * Returns the partitions that Redis knows, then those that only the broker knows.
     *
     * @param answered whether Redis answered; if not, nobody knows what it has of them
     */
    private static List<Views.Partition> partitions(
            QueueSettings settings, List<PartitionInfo> known, Map<String, Long> lags, boolean answered) {
        List<Views.Partition> all = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (PartitionInfo partition : known) {
            seen.add(partition.partition());
            @Nullable Long lag = lags.get(partition.partition());
            all.add(new Views.Partition(
                    partition.partition(),
                    partition.owner(),
                    lag,
                    partition.blockedKeys(),
                    partition.counts(),
                    OldestWait.of(partition, lags),
                    Views.Full.of(partition.full()),
                    Views.TooManyBlockedKeys.of(partition.blockedKeys(), settings),
                    null));
        }
        lags.forEach((partition, lag) -> {
            if (!partition.isEmpty() && !seen.contains(partition)) {
                all.add(new Views.Partition(
                        partition,
                        null,
                        lag,
                        answered ? 0L : null,
                        answered ? TaskCounts.NONE : null,
                        answered && lag == 0 ? 0L : null,
                        null,
                        null,
                        null));
            }
        });
        return all;
    }
}
