package dev.tandem.server.api;

import dev.tandem.runtime.masking.Echoes;
import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.store.PartitionReport;
import dev.tandem.task.store.PermitView;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answers of the API. Null components are left out of the JSON. */
public final class Views {

    private Views() {}

    public record Queues(List<Queue> queues) {}

    /**
     * One queue. What only Redis knows is missing while it does not answer.
     *
     * @param state see {@link QueueState}
     * @param problems what is wrong, for people; null if nothing is
     * @param pausedTypes the types of which no task starts; null if there are none
     * @param pausedKeys the keys of which no task starts; null if there are none
     * @param withheld why the answering server starts fewer tasks than it could, or that it cannot tell whether the queue is
     *     paused; null if neither is so
     * @param haltedKeys how many of the blocked keys wait for somebody's decision, as far as that was read; null while Redis does not answer
     * @param haltedKeysPartial whether there may be more of them; null if not
     * @param limit how many of its tasks run at once; null if it has no such limit
     * @param oldestWaitMillis for how long the oldest task has waited that could start; 0 if none waits; null if that is not known
     * @param totals counters since the queue was created
     * @param eventsWaitingBytes of the events that are not published yet; null if there are none
     * @param partitions only if a single queue is requested
     */
    public record Queue(
            String name,
            String source,
            String ordering,
            String state,
            @Nullable List<Sentence> problems,
            @Nullable Boolean paused,
            @Nullable List<String> pausedTypes,
            @Nullable List<String> pausedKeys,
            @Nullable String withheld,
            @Nullable Long lag,
            @Nullable Long blockedKeys,
            @Nullable Long haltedKeys,
            @Nullable Boolean haltedKeysPartial,
            @Nullable TaskCounts counts,
            @Nullable QueueLimit limit,
            @Nullable Long oldestWaitMillis,
            @Nullable Map<String, Long> totals,
            @Nullable Long eventsWaitingBytes,
            @Nullable List<Partition> partitions) {

        /** Returns the queue with what the owners of its partitions have in memory, as far as they have said it. */
        Queue with(Map<String, PartitionReport> memory) {
            @Nullable
            List<Partition> all = partitions == null
                    ? null
                    : partitions.stream()
                            .map(each -> each.with(Memory.of(memory.get(each.partition()))))
                            .toList();
            return with(haltedKeys, haltedKeysPartial, all);
        }

        /**
         * Returns the queue with the number of its halted keys.
         *
         * @param halted as far as it was read; null if no dead task can halt one
         */
        Queue withHalted(SharedDeadGroups.@Nullable Halted halted) {
            if (blockedKeys == null) {
                return this;
            }
            return with(
                    halted == null ? 0 : halted.keys(), halted != null && halted.partial() ? true : null, partitions);
        }

        /** Returns the queue as a list of queues shows it. */
        Queue withoutPartitions() {
            return with(haltedKeys, haltedKeysPartial, null);
        }

        private Queue with(@Nullable Long halted, @Nullable Boolean partial, @Nullable List<Partition> parts) {
            return new Queue(
                    name,
                    source,
                    ordering,
                    state,
                    problems,
                    paused,
                    pausedTypes,
                    pausedKeys,
                    withheld,
                    lag,
                    blockedKeys,
                    halted,
                    partial,
                    counts,
                    limit,
                    oldestWaitMillis,
                    totals,
                    eventsWaitingBytes,
                    parts);
        }
    }

    /**
     * The limit of all tasks of a queue.
     *
     * @param max the most tasks at once that is in force: what an operator has set, else what the executor that asked last has in its
     *     settings, else what this server has
     * @param running the tasks that run
     * @param waiting those that executors have taken and that wait for the end of others
     */
    public record QueueLimit(int max, int running, int waiting) {

        /** @return null if the queue has no limit, or Redis does not say whether an operator has set another one */
        static @Nullable QueueLimit of(@Nullable PermitView view, QueueSettings settings) {
            if (view == null) {
                return null;
            }
            int configured = view.configured() > 0 ? view.configured() : settings.maxRunning();
            int max = view.override() == null ? configured : view.override().max();
            return max == 0
                    ? null
                    : new QueueLimit(
                            max,
                            view.holders().stream()
                                    .mapToInt(PermitView.Holder::used)
                                    .sum(),
                            view.holders().stream()
                                    .mapToInt(PermitView.Holder::waiting)
                                    .sum());
        }
    }

    /**
     * One partition. What only Redis knows is missing while it does not answer.
     *
     * @param oldestWaitMillis as for the queue
     * @param full set if Redis parks no more tasks of a key or of the partition
     * @param tooManyBlockedKeys set if the partition starts no task of a further key
     * @param memory what its owner has in memory; null if that is not known, or was not asked for
     */
    public record Partition(
            String partition,
            @Nullable String owner,
            @Nullable Long lag,
            @Nullable Long blockedKeys,
            @Nullable TaskCounts counts,
            @Nullable Long oldestWaitMillis,
            @Nullable Full full,
            @Nullable TooManyBlockedKeys tooManyBlockedKeys,
            @Nullable Memory memory) {

        Partition with(@Nullable Memory now) {
            return new Partition(
                    partition, owner, lag, blockedKeys, counts, oldestWaitMillis, full, tooManyBlockedKeys, now);
        }
    }

    /**
     * The tasks of a partition that wait or run in the memory of its owner.
     *
     * @param bytes payloads and headers, and a little for each task; null if the owner, of an earlier version, does not say it
     * @param full whether the broker delivers nothing, because there are as many as may be; null if it does
     */
    public record Memory(
            int tasks, @Nullable Long bytes, @Nullable Boolean full) {
        static @Nullable Memory of(@Nullable PartitionReport report) {
            return report == null
                    ? null
                    : new Memory(
                            report.matching(),
                            report.bytes() == PartitionReport.NOT_COUNTED ? null : Long.valueOf(report.bytes()),
                            report.memoryFull() ? Boolean.TRUE : null);
        }
    }

    /** Why further tasks wait in the broker. @param key the key behind which the most tasks are parked */
    public record Full(String key, long parked) {
        static @Nullable Full of(@Nullable KeyInfo key) {
            return key == null ? null : new Full(key.key(), key.parked());
        }
    }

    /** Why a partition starts no task of a further key. @param max the bound */
    public record TooManyBlockedKeys(long blockedKeys, long max) {
        static @Nullable TooManyBlockedKeys of(long blockedKeys, QueueSettings settings) {
            boolean tooMany = settings.ordered() && blockedKeys >= settings.maxBlockedKeys();
            return tooMany ? new TooManyBlockedKeys(blockedKeys, settings.maxBlockedKeys()) : null;
        }
    }

    /** @param partial whether the page ended early, because looking further would have cost too much; null if not */
    public record Tasks(
            List<Task> tasks,
            @Nullable String next,
            @Nullable Boolean partial) {}

    /**
     * One task. Payload and headers only if a single task is requested.
     *
     * @param behind the task that a parked one waits for
     * @param waitsFor what another one waits for, beside its time, in words for people
     * @param duplicateOf the id of the task of which a task was a duplicate that ended without a run
     * @param halts whether a dead task halts its key; null if it does not
     */
    public record Task(
            String ref,
            String id,
            String queue,
            String partition,
            String position,
            String state,
            @Nullable String type,
            @Nullable String key,
            int attempts,
            @Nullable Integer maxAttempts,
            @Nullable Instant at,
            @Nullable Instant publishedAt,
            @Nullable String executor,
            @Nullable String token,
            @Nullable String error,
            @Nullable String behind,
            @Nullable Sentence waitsFor,
            @Nullable Boolean halts,
            @Nullable Integer bytes,
            @Nullable Sentence note,
            @Nullable Map<String, String> headers,
            @Nullable JsonText payload,
            @Nullable String payloadText,
            @Nullable String payloadBase64,
            @Nullable Long durationMillis,
            @Nullable JsonText result,
            @Nullable String dedupKey,
            @Nullable String duplicateOf,
            NoteViews.@Nullable Progress progress,
            NoteViews.@Nullable Checkpoint checkpoint,
            @Nullable List<NoteViews.Line> log,
            @Nullable List<Attempt> history) {}

    /** A cancelled task. @param state {@code cancelled}, or {@code interrupted} if its end is not recorded yet */
    record Cancelled(int changed, String state) {}

    /**
     * The end of a task that was waited for, or the state that it had when the time was over.
     *
     * @param ended false if the time was over before the task ended
     * @param state the state in which the task was seen last; absent if the store has never shown it
     */
    record Ending(
            boolean ended, @Nullable String state, @Nullable Task task) {}

    /** A task with another time. @param at when it is due now */
    record Rescheduled(int changed, Instant at) {}

    /** A task with another payload. @param hash the beginning of its SHA-256, which is its ETag too */
    record Edited(int changed, int bytes, String hash) {}

    /** One attempt. @param error absent if it succeeded */
    public record Attempt(
            int attempt,
            @Nullable Instant at,
            @Nullable Long durationMillis,
            @Nullable String executor,
            @Nullable String error) {
        static Attempt of(AttemptRecord attempt, Echoes echoes) {
            boolean known = attempt.startedAt() > 0;
            return new Attempt(
                    attempt.number(),
                    known ? Instant.ofEpochMilli(attempt.startedAt()) : null,
                    known ? attempt.durationMillis() : null,
                    attempt.executor().isEmpty() ? null : attempt.executor(),
                    attempt.error().isEmpty() ? null : echoes.hide(attempt.error()));
        }
    }

    /** @param partial as for tasks */
    public record Keys(
            List<Key> keys, @Nullable String next, @Nullable Boolean partial) {}

    /** Returns the field of a page that ended early; null for others. */
    static @Nullable Boolean partial(Page<?> page) {
        return page.partial() ? Boolean.TRUE : null;
    }

    /**
     * One key.
     *
     * @param headTask what Redis knows of the head; null if that is only its position
     * @param behind the first tasks that are parked behind the head, only if a single key is requested
     * @param more the same key in other partitions where it is blocked too
     */
    public record Key(
            String key,
            boolean blocked,
            @Nullable String partition,
            @Nullable String why,
            @Nullable Instant since,
            @Nullable String head,
            @Nullable Long parked,
            @Nullable Task headTask,
            @Nullable List<Task> behind,
            @Nullable List<Key> more) {

        static Key open(String key) {
            return new Key(key, false, null, null, null, null, null, null, null, null);
        }

        static Key of(KeyInfo info, @Nullable Task headTask, @Nullable List<Task> behind) {
            return new Key(
                    info.key(),
                    true,
                    info.partition(),
                    whyBlocked(info.reason()),
                    info.since(),
                    info.head().toString(),
                    info.parked(),
                    headTask,
                    behind,
                    null);
        }

        Key and(List<Key> others) {
            @Nullable List<Key> rest = others.isEmpty() ? null : others;
            return new Key(key, blocked, partition, why, since, head, parked, headTask, behind, rest);
        }
    }

    /**
     * A published task.
     *
     * @param place where it is in the broker
     * @param warnings what its publisher probably did not mean, for people; null if there is nothing to say
     */
    record Published(
            String queue, String id, String place, @Nullable List<String> warnings) {

        Published(String queue, String id, String place) {
            this(queue, id, place, null);
        }

        Published with(@Nullable List<String> warned) {
            return new Published(queue, id, place, warned);
        }
    }

    /** The result of a change. @param opened the key that goes on because its dead head was deleted */
    record Changed(int changed, @Nullable String opened) {
        Changed(int changed) {
            this(changed, null);
        }
    }

    /** A changed key. @param did what was really done, for people */
    record KeyChanged(int changed, Sentence did) {}

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the word for why a key is blocked, on which other programs rely. */
    static String whyBlocked(BlockReason reason) {
        return reason == BlockReason.OTHER_OWNER ? "foreign" : lower(reason);
    }

    static String state(TaskInfo task) {
        return lower(task.state());
    }
}
