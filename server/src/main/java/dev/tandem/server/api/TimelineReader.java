package dev.tandem.server.api;

import dev.tandem.kafka.LogPart;
import dev.tandem.kafka.LoggedTask;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.KeyLog;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldTask;
import dev.tandem.task.store.PartitionReport;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Puts together the timeline of a key from the log, Redis and the executors, within bounds. Thread-safe. */
public final class TimelineReader {

    /** How many tasks that the log does not show are looked for in Redis. */
    private static final int MOST_IN_REDIS = 50;

    /** At how many tasks of the partition it looks for them: Redis answers other questions for a timeline, too. */
    private static final int LOOKED_AT = 300;

    private final ConfiguredQueues queues;
    private final Inspection inspection;
    private final Backlog backlog;
    private final KeyLog log;
    private final WhyFacts facts;

    TimelineReader(ConfiguredQueues queues, Inspection inspection, Backlog backlog, KeyLog log, WhyFacts facts) {
        this.queues = queues;
        this.inspection = inspection;
        this.backlog = backlog;
        this.log = log;
        this.facts = facts;
    }

    /** A request for a timeline. @param partition null for the one in which the key belongs */
    private record Asked(
            String queue,
            QueueSettings settings,
            String key,
            @Nullable String partition,
            Pauses pauses) {}

    /** A part of the log, or the reason why it was not read. */
    private record Read(@Nullable LogPart part, @Nullable String problem) {}

    /**
     * Reads a part of the timeline.
     *
     * @param partition null for the one in which the key belongs
     * @param before the offset behind the last record to look at; null for the latest ones, and what Redis has beside them
     * @throws ApiException if there is no such queue or partition, or if too many read logs at this moment
     */
    public KeyTimeline read(String queue, String key, @Nullable String partition, @Nullable Long before) {
        QueueSettings settings = queues.get(queue);
        check(partition, before);
        Map<String, Long> ends = settings.effectiveSource() == SourceType.KAFKA ? backlog.ends(queue) : Map.of();
        String place = partition != null ? partition : home(queue, settings, key, ends);
        Asked asked = new Asked(queue, settings, key, place, Pauses.of(inspection, queue, settings.handler()));
        // Read first: what has settled by now has left its trace already, if one is kept.
        Map<String, Long> settled = settings.effectiveSource() == SourceType.KAFKA ? backlog.settled(queue) : Map.of();
        Read read = log(asked, before == null ? -1 : before, ends);
        LogPart part = read.part();
        HeldAnswer held = before == null || part != null && !part.tasks().isEmpty()
                ? facts.heldOf(queue, key, place, ends)
                : HeldAnswer.NONE;
        List<KeyTimeline.Entry> entries = new ArrayList<>();
        if (part != null) {
            entries.addAll(ofLog(asked, part, held, settled));
        }
        Page<TaskInfo> stored = before != null ? new Page<>(List.of(), null) : stored(asked);
        if (before == null) {
            addOthers(asked, stored, held, entries);
        }
        return new KeyTimeline(
                queue,
                key,
                part == null || place == null ? null : view(place, part),
                read.problem(),
                entries,
                stored.partial() || stored.next() != null ? true : null,
                part == null || part.stop() == LogPart.Stop.BEGINNING || part.from() == part.first()
                        ? null
                        : part.from(),
                KeyTimeline.Times.of(entries.stream()
                        .flatMap(each -> Stream.ofNullable(each.waitMillis()))
                        .mapToLong(each -> each)),
                KeyTimeline.Times.of(entries.stream()
                        .flatMap(each -> Stream.ofNullable(each.history()))
                        .flatMap(List::stream)
                        .flatMap(each -> Stream.ofNullable(each.durationMillis()))
                        .mapToLong(each -> each)));
    }

    private static void check(@Nullable String partition, @Nullable Long before) {
        if (before != null && before < 0) {
            throw ApiException.parameter("before", Sentence.of("problem.before", before), Sentence.of("remedy.before"));
        }
        if (partition != null && !Partition.isName(partition)) {
            throw ApiException.parameter(
                    "partition", Sentence.of("problem.partition"), Sentence.of("remedy.leave-out"));
        }
    }

    private @Nullable String home(String queue, QueueSettings settings, String key, Map<String, Long> ends) {
        return inspection.key(queue, key).stream()
                .findFirst()
                .map(KeyInfo::partition)
                .orElseGet(() -> WhyFacts.placement(settings, key, ends));
    }

    private Read log(Asked asked, long before, Map<String, Long> ends) {
        boolean isLog = asked.settings().effectiveSource() == SourceType.KAFKA;
        if (!isLog) {
            return new Read(null, null);
        }
        if (asked.partition() == null) {
            return new Read(null, "Kafka does not say how many partitions the topic has");
        }
        if (!asked.partition().matches("[0-9]{1,9}")) {
            throw ApiException.parameter(
                    "partition", Sentence.of("problem.kafka-partition"), Sentence.of("remedy.leave-out"));
        }
        if (!ends.isEmpty() && !ends.containsKey(asked.partition())) {
            return new Read(null, "Kafka's topic has no partition " + asked.partition());
        }
        try {
            return new Read(log.read(asked.queue(), asked.partition(), asked.key(), before), null);
        } catch (KeyLog.BusyException e) {
            throw ProblemType.BUSY.refusal(
                    Sentence.problem(String.valueOf(e.getMessage())), Sentence.of("remedy.repeat-soon"));
        } catch (UnavailableException e) {
            return new Read(null, e.getMessage());
        }
    }

    private List<KeyTimeline.Entry> ofLog(Asked asked, LogPart part, HeldAnswer held, Map<String, Long> committed) {
        String partition = Objects.requireNonNull(asked.partition());
        List<Long> offsets = part.tasks().stream().map(LoggedTask::offset).toList();
        Map<Long, TaskInfo> known = inspection.atOffsets(asked.queue(), partition, offsets);
        Map<Long, HeldTask> inMemory = new HashMap<>();
        held.tasks().stream()
                .filter(each -> each.place().partition().name().equals(partition))
                .forEach(each -> inMemory.put(offset(TaskRef.of(each.place())), each));
        Settled settled = Settled.of(partition, committed, held);
        return part.tasks().stream()
                .map(each -> {
                    TaskInfo info = known.get(each.offset());
                    HeldTask its = inMemory.get(each.offset());
                    return info != null
                            ? entry(asked, its == null ? info : info.withHeld(its), each)
                            : its != null ? entry(asked, TaskInfo.inMemory(its), each) : unknown(asked, each, settled);
                })
                .toList();
    }

    /**
     * The records of a partition that are known to be settled.
     *
     * @param committed all offsets below it are; -1 if it is not known
     * @param readTo the owner has all unsettled offsets below it in its memory, and has named those of the key; -1 if it did not
     */
    private record Settled(long committed, long readTo) {

        static Settled of(String partition, Map<String, Long> committed, HeldAnswer held) {
            PartitionReport report = held.partitions().stream()
                    .filter(each -> each.partition().equals(partition))
                    .findFirst()
                    .orElse(null);
            boolean all = report != null
                    && report.matching() + report.notDurable() <= held.tasks().size();
            return new Settled(committed.getOrDefault(partition, -1L), all ? report.readTo() : -1);
        }

        boolean has(long offset) {
            return offset < Math.max(committed, readTo);
        }
    }

    private Page<TaskInfo> stored(Asked asked) {
        return inspection.tasks(
                asked.queue(),
                null,
                asked.settings().effectiveSource() == SourceType.KAFKA ? asked.partition() : null,
                null,
                MOST_IN_REDIS,
                task -> asked.key().equals(task.key()),
                LOOKED_AT);
    }

    /** Adds what Redis and executors have beside the part of the log. */
    private void addOthers(Asked asked, Page<TaskInfo> stored, HeldAnswer held, List<KeyTimeline.Entry> entries) {
        Set<String> shown =
                entries.stream().flatMap(each -> Stream.ofNullable(each.ref())).collect(Collectors.toSet());
        Map<TaskRef, HeldTask> inMemory = new HashMap<>();
        held.tasks().forEach(each -> inMemory.put(TaskRef.of(each.place()), each));
        Stream<TaskInfo> unstored = inMemory.entrySet().stream()
                .filter(each ->
                        stored.items().stream().noneMatch(task -> task.ref().equals(each.getKey())))
                .map(each -> TaskInfo.inMemory(each.getValue()));
        Stream.concat(
                        unstored,
                        stored.items().stream()
                                .map(each -> inMemory.containsKey(each.ref())
                                        ? each.withHeld(inMemory.get(each.ref()))
                                        : each))
                .filter(each -> shown.add(each.ref().toString()))
                .sorted((one, other) -> Long.compare(published(other), published(one)))
                .forEach(each -> entries.add(entry(asked, each, null)));
    }

    private static long published(TaskInfo info) {
        return info.envelope() == null ? 0 : info.envelope().task().publishedAt();
    }

    private static KeyTimeline.Entry entry(Asked asked, TaskInfo info, @Nullable LoggedTask logged) {
        Views.Task task = TaskViews.inList(asked.queue(), asked.settings(), asked.pauses(), info);
        List<Views.Attempt> history = TaskViews.attempts(asked.settings(), info);
        Instant published = task.publishedAt() != null
                ? task.publishedAt()
                : logged == null || logged.publishedAt() <= 0 ? null : Instant.ofEpochMilli(logged.publishedAt());
        boolean isOfRedis = info.state() != TaskState.DELIVERED;
        return new KeyTimeline.Entry(
                logged == null ? null : logged.offset(),
                task.ref(),
                logged != null && logged.id() != null ? logged.id() : task.id(),
                task.type(),
                task.state(),
                published,
                task.at(),
                isOfRedis || task.attempts() > 0 ? task.attempts() : null,
                task.executor(),
                task.error(),
                task.waitsFor(),
                waited(info, published, history),
                history.isEmpty() ? null : history);
    }

    private static KeyTimeline.Entry unknown(Asked asked, LoggedTask logged, Settled settled) {
        String id = logged.id() != null
                ? logged.id()
                : asked.settings().effectiveTopic(asked.queue()) + ":" + asked.partition() + ":" + logged.offset();
        return new KeyTimeline.Entry(
                logged.offset(),
                null,
                id,
                logged.type() == null ? asked.settings().handler() : logged.type(),
                settled.has(logged.offset()) ? KeyTimeline.NOT_KEPT : KeyTimeline.IN_BROKER,
                logged.publishedAt() <= 0 ? null : Instant.ofEpochMilli(logged.publishedAt()),
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** Returns how long a task waited for its first start, since it was published, or since its earliest start. */
    private static @Nullable Long waited(TaskInfo info, @Nullable Instant published, List<Views.Attempt> history) {
        if (published == null
                || history.isEmpty()
                || history.get(0).attempt() != 1
                || history.get(0).at() == null) {
            return null;
        }
        long notBefore = info.envelope() == null ? 0 : info.envelope().task().notBefore();
        long from = Math.max(published.toEpochMilli(), notBefore);
        return Math.max(0, history.get(0).at().toEpochMilli() - from);
    }

    private static KeyTimeline.Log view(String partition, LogPart part) {
        return new KeyTimeline.Log(
                partition,
                part.first(),
                part.end(),
                part.from(),
                part.to(),
                part.records(),
                part.bytes(),
                part.oldest() <= 0 ? null : Instant.ofEpochMilli(part.oldest()),
                part.stop().name().toLowerCase(Locale.ROOT));
    }

    private static long offset(TaskRef ref) {
        String last = ref.position().substring(ref.position().lastIndexOf(':') + 1);
        return last.matches("[0-9]{1,18}") ? Long.parseLong(last) : -1;
    }
}
