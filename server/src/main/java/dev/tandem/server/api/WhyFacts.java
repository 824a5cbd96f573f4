package dev.tandem.server.api;

import dev.tandem.kafka.KafkaPublisher;
import dev.tandem.runtime.settings.HostedTypes;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.LocalQueues;
import dev.tandem.server.inspect.PartitionInfo;
import dev.tandem.server.inspect.Pauses;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.why.Facts;
import dev.tandem.server.why.PartitionOwner;
import dev.tandem.server.why.TaskFacts;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.HeldAnswer;
import dev.tandem.task.store.HeldQuestion;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Gathers what is known of a key or a task that does not move, from Redis, the broker and the executors. Scans nothing. */
final class WhyFacts {

    private static final Set<TaskState> OVER =
            Set.of(TaskState.SUCCEEDED, TaskState.EXPIRED, TaskState.CANCELLED, TaskState.DEAD);

    private final Inspection inspection;
    private final Backlog backlog;
    private final LocalQueues local;
    private final LimitReader limits;
    private final Duration lease;
    private final InstantSource clock;

    WhyFacts(
            Inspection inspection,
            Backlog backlog,
            LocalQueues local,
            LimitReader limits,
            Duration lease,
            InstantSource clock) {
        this.inspection = inspection;
        this.backlog = backlog;
        this.local = local;
        this.limits = limits;
        this.lease = lease;
        this.clock = clock;
    }

    Facts ofKey(String queue, QueueSettings settings, String key) {
        KeyInfo blocked = inspection.key(queue, key).stream().findFirst().orElse(null);
        Map<String, Long> ends = backlog.ends(queue);
        String partition = blocked != null ? blocked.partition() : placement(settings, key, ends);
        PartitionOwner home = home(queue, partition, ends);
        HeldAnswer held = ask(queue, home, new HeldQuestion(partition == null ? "" : partition, true, key));
        return facts(queue, settings, new Asked(key, null, null, -1), blocked, home, held);
    }

    /** Returns what executors have in memory of a key. @param partition null if it is not known */
    HeldAnswer heldOf(String queue, String key, @Nullable String partition, Map<String, Long> ends) {
        HeldQuestion question = new HeldQuestion(partition == null ? "" : partition, true, key);
        return ask(queue, home(queue, partition, ends), question);
    }

    /** @param task the task as Redis knows it; null if it does not */
    Facts ofTask(String queue, QueueSettings settings, String id, @Nullable TaskInfo task) {
        String key = task == null ? null : task.key();
        boolean isOver = task != null && OVER.contains(task.state());
        KeyInfo blocked = key == null || !settings.ordered() || isOver && !task.halts()
                ? null
                : inspection.key(queue, key).stream()
                        .filter(each -> each.partition().equals(task.ref().partition()))
                        .findFirst()
                        .orElse(null);
        TaskRef ref = task != null ? task.ref() : named(queue, settings, id);
        Map<String, Long> ends = isOver ? Map.of() : backlog.ends(queue);
        PartitionOwner home = ref == null || isOver ? null : home(queue, ref.partition(), ends);
        // What runs ahead of it has its key.
        boolean byKey = key != null && settings.ordered();
        String name = byKey ? key : ref == null || task == null ? id : ref.partition() + "/" + ref.position();
        HeldAnswer held = isOver
                ? HeldAnswer.NONE
                : ask(queue, home, new HeldQuestion(ref == null ? "" : ref.partition(), byKey, name));
        return facts(queue, settings, new Asked(key, id, task, offset(ref)), blocked, home, held);
    }

    /** The key or the task that somebody asked about. @param id null if that was a key */
    private record Asked(
            @Nullable String key,
            @Nullable String id,
            @Nullable TaskInfo task,
            long offset) {}

    private Facts facts(
            String queue,
            QueueSettings settings,
            Asked asked,
            @Nullable KeyInfo blocked,
            @Nullable PartitionOwner home,
            HeldAnswer held) {
        TaskInfo claimed = held.tasks().isEmpty()
                ? null
                : inspection
                        .task(queue, TaskRef.of(held.tasks().get(0).place()))
                        .orElse(null);
        long inBroker = home != null
                ? 0
                : backlog.of(queue).values().stream().mapToLong(each -> each).sum();
        TaskFacts task = of(queue, settings, asked.task(), held);
        TaskFacts head = of(queue, settings, headOf(queue, blocked), held);
        return new Facts(
                clock.instant(),
                asked.key(),
                asked.id() != null,
                asked.offset(),
                task,
                blocked,
                head,
                held,
                of(queue, settings, claimed, held),
                limits.numbers(waitReasons(held, task, head)),
                inspection.liveExecutors(),
                home,
                Pauses.of(inspection, queue, settings.handler()),
                inBroker,
                local.of(queue).brokerProblem(),
                lease,
                HostedTypes.PULL.equals(settings.handler()));
    }

    /** Returns for what tasks wait, those in memory and those that Redis has. */
    private static List<WaitReason> waitReasons(HeldAnswer held, @Nullable TaskFacts... stored) {
        Stream<WaitReason> inRedis =
                Stream.of(stored).flatMap(Stream::ofNullable).flatMap(each -> Stream.ofNullable(each.waitsFor()));
        Stream<WaitReason> inMemory = held.tasks().stream().flatMap(each -> Stream.ofNullable(each.waitsFor()));
        return Stream.concat(inRedis, inMemory).toList();
    }

    /** A listed head has no history, from which the time of its attempts is taken. */
    private @Nullable TaskInfo headOf(String queue, @Nullable KeyInfo blocked) {
        return blocked == null ? null : inspection.task(queue, blocked.head()).orElse(blocked.headTask());
    }

    /** Of a task in the broker's custody Redis knows only the claim, and an executor the name. */
    private static @Nullable TaskFacts of(
            String queue, QueueSettings settings, @Nullable TaskInfo info, HeldAnswer held) {
        if (info == null) {
            return null;
        }
        TaskInfo named = held.tasks().stream()
                .filter(each -> TaskRef.of(each.place()).equals(info.ref()))
                .findFirst()
                .map(info::withHeld)
                .orElse(info);
        Task task = named.envelope() == null ? null : named.envelope().task();
        return TaskFacts.of(
                info,
                TaskViews.id(queue, settings, named),
                task == null || task.type() == null ? settings.handler() : task.type(),
                TaskViews.error(settings, info));
    }

    private HeldAnswer ask(String queue, @Nullable PartitionOwner home, HeldQuestion question) {
        boolean nobody = home != null && !home.ownerLives();
        return nobody ? HeldAnswer.NONE : inspection.held(queue, question, owners(queue));
    }

    private Set<String> owners(String queue) {
        return inspection.partitions(queue).stream()
                .flatMap(each -> Stream.ofNullable(each.owner()))
                .collect(Collectors.toSet());
    }

    private @Nullable PartitionOwner home(String queue, @Nullable String partition, Map<String, Long> ends) {
        if (partition == null) {
            return null;
        }
        String owner = inspection.partitions(queue).stream()
                .filter(each -> each.partition().equals(partition))
                .findFirst()
                .map(PartitionInfo::owner)
                .orElse(null);
        return new PartitionOwner(
                partition,
                owner,
                owner != null && inspection.liveExecutors().contains(owner),
                ends.getOrDefault(partition, -1L));
    }

    /** Returns the partition that Kafka's own producer chooses; null if it is not known. */
    static @Nullable String placement(QueueSettings settings, String key, Map<String, Long> ends) {
        if (settings.effectiveSource() != SourceType.KAFKA || ends.isEmpty()) {
            return null;
        }
        return Integer.toString(KafkaPublisher.partitionOf(key, ends.size()));
    }

    /** Returns the place that a name of a task tells: a reference, or the id of a record that its publisher gave none. */
    private static @Nullable TaskRef named(String queue, QueueSettings settings, String id) {
        TaskRef ref = TaskRef.parse(id).orElse(null);
        String topic = settings.effectiveSource() == SourceType.KAFKA ? settings.effectiveTopic(queue) + ":" : "";
        if (ref != null || topic.isEmpty() || !id.startsWith(topic)) {
            return ref;
        }
        List<String> parts = List.of(id.substring(topic.length()).split(":", -1));
        return parts.size() == 2 && parts.stream().allMatch(each -> each.matches("[0-9]{1,18}"))
                ? new TaskRef(parts.get(0), parts.get(1))
                : null;
    }

    private static long offset(@Nullable TaskRef ref) {
        if (ref == null) {
            return -1;
        }
        String last = ref.position().substring(ref.position().lastIndexOf(':') + 1);
        return last.matches("[0-9]{1,18}") ? Long.parseLong(last) : -1;
    }
}
