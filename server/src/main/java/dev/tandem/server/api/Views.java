package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.DedupKeyInfo;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.Page;
import dev.tandem.server.inspect.TaskCounts;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.AttemptRecord;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The answers of the API. Null components are left out of the JSON. */
final class Views {

    private Views() {}

    record Queues(List<Queue> queues) {}

    /**
     * One queue. What only Redis knows is missing while it does not answer.
     *
     * @param state see {@link QueueState}
     * @param problems what is wrong, for people; null if nothing is
     * @param pausedTypes the types of which no task starts; null if there are none
     * @param pausedKeys the keys of which no task starts; null if there are none
     * @param withheld why the answering server starts fewer tasks than it could, or that it cannot tell whether the queue is
     *     paused; null if neither is so
     * @param totals counters since the queue was created
     * @param eventsWaitingBytes of the events that are not published yet; null if there are none
     * @param partitions only if a single queue is requested
     */
    record Queue(
            String name,
            String source,
            String ordering,
            String state,
            @Nullable List<String> problems,
            @Nullable Boolean paused,
            @Nullable List<String> pausedTypes,
            @Nullable List<String> pausedKeys,
            @Nullable String withheld,
            @Nullable Long lag,
            @Nullable Long blockedKeys,
            @Nullable TaskCounts counts,
            @Nullable Map<String, Long> totals,
            @Nullable Long eventsWaitingBytes,
            @Nullable List<Partition> partitions) {}

    /**
     * One partition. What only Redis knows is missing while it does not answer.
     *
     * @param full set if Redis parks no more tasks of a key or of the partition
     * @param tooManyBlockedKeys set if the partition starts no task of a further key
     */
    record Partition(
            String partition,
            @Nullable String owner,
            @Nullable Long lag,
            @Nullable Long blockedKeys,
            @Nullable TaskCounts counts,
            @Nullable Full full,
            @Nullable TooManyBlockedKeys tooManyBlockedKeys) {}

    /** Why further tasks wait in the broker. @param key the key behind which the most tasks are parked */
    record Full(String key, long parked) {
        static @Nullable Full of(@Nullable KeyInfo key) {
            return key == null ? null : new Full(key.key(), key.parked());
        }
    }

    /** Why a partition starts no task of a further key. @param max the bound */
    record TooManyBlockedKeys(long blockedKeys, long max) {
        static @Nullable TooManyBlockedKeys of(long blockedKeys, QueueSettings settings) {
            boolean tooMany = settings.ordered() && blockedKeys >= settings.maxBlockedKeys();
            return tooMany ? new TooManyBlockedKeys(blockedKeys, settings.maxBlockedKeys()) : null;
        }
    }

    /** @param partial whether the page ended early, because looking further would have cost too much; null if not */
    record Tasks(
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
    record Task(
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
            @Nullable String waitsFor,
            @Nullable Boolean halts,
            @Nullable Integer bytes,
            @Nullable String note,
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
     * What became of a task that was waited for.
     *
     * @param ended false if the time was over before the task ended
     * @param state the state in which the task was seen last; absent if the store has never shown it
     */
    record Ending(
            boolean ended, @Nullable String state, @Nullable Task task) {}

    /** A task with another time. @param at when it is due now */
    record Rescheduled(int changed, Instant at) {}

    /** One attempt. @param error absent if it succeeded */
    record Attempt(
            int attempt,
            @Nullable Instant at,
            @Nullable Long durationMillis,
            @Nullable String executor,
            @Nullable String error) {
        static Attempt of(AttemptRecord attempt) {
            boolean known = attempt.startedAt() > 0;
            return new Attempt(
                    attempt.number(),
                    known ? Instant.ofEpochMilli(attempt.startedAt()) : null,
                    known ? attempt.durationMillis() : null,
                    attempt.executor().isEmpty() ? null : attempt.executor(),
                    attempt.error().isEmpty() ? null : attempt.error());
        }
    }

    /** @param partial as for tasks */
    record Keys(
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
    record Key(
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
                    info.why(),
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
     * A deduplication key. Only {@code key} and {@code taken} are there if nothing is known of it.
     *
     * @param taken whether a task with the key that comes now is a duplicate, in a queue where the first one runs
     */
    record DedupKey(
            String key,
            boolean taken,
            @Nullable Instant takenUntil,
            @Nullable String ref,
            @Nullable String id,
            @Nullable String state,
            @Nullable Instant since,
            @Nullable Instant dueAt,
            @Nullable Long others) {

        static DedupKey free(String key) {
            return new DedupKey(key, false, null, null, null, null, null, null, null);
        }

        static DedupKey of(String key, DedupKeyInfo info) {
            return new DedupKey(
                    key,
                    info.taken(),
                    info.takenUntil(),
                    info.ref().toString(),
                    info.id(),
                    info.state(),
                    info.since(),
                    info.dueAt(),
                    info.others());
        }
    }

    /** A published task. @param place where it is in the broker */
    record Published(String queue, String id, String place) {}

    /** The result of a change. @param opened the key that goes on because its dead head was deleted */
    record Changed(int changed, @Nullable String opened) {
        Changed(int changed) {
            this(changed, null);
        }
    }

    /** A changed key. @param did what was really done, for people */
    record KeyChanged(int changed, String did) {}

    static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static String state(TaskInfo task) {
        return lower(task.state());
    }
}
