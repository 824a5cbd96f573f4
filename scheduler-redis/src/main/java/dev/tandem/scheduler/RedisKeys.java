package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import dev.tandem.task.fanout.FanOutBuckets;
import dev.tandem.task.statistics.StatisticsStep;
import java.util.Arrays;
import java.util.List;

/**
 * Builds every Redis key and channel of one namespace. All keys of a partition share a hash tag, so that one script may
 * touch them all.
 */
final class RedisKeys {

    /** The order in which every script gets the keys; see {@code include/partition_keys.lua}. */
    private static final List<String> PARTS = List.of(
            "owner",
            "claims",
            "inflight",
            "attempts",
            "tasks",
            "scheduled",
            "retry",
            "blocked",
            "lanes",
            "settled",
            "dead",
            "dead-tasks",
            "succeeded",
            "samples",
            "opened",
            "stats",
            "index",
            "later",
            "minutes",
            "pages",
            "owed",
            "given",
            "successes",
            "success-ids",
            "checkpoints",
            "progress",
            "untold-ends",
            "dead-groups",
            "grouped");

    /** The order in which every script of schedules gets the keys; see {@code include/schedule_keys.lua}. */
    private static final List<String> SCHEDULE_PARTS = List.of(
            "definitions",
            "versions",
            "fired",
            "claims",
            "paused",
            "asked",
            "seen",
            "open",
            "totals",
            "created",
            "payloads",
            "deleted");

    private static final List<String> STATISTICS_PARTS = List.of("", ":1", ":5", ":60");

    private static final List<String> FAN_OUT_LISTS = List.of("due", "open", "ended", "masters", "kept");
    private static final List<String> FAN_OUT_PARTS = List.of("", ":ended", ":failed", ":cancelled", ":inner");
    /** The order in which every script of operations gets the keys; see {@code include/operation_keys.lua}. */
    private static final List<String> OPERATION_PARTS =
            List.of("definitions", "progress", "claims", "stops", "open", "ended", "counted");

    /** The buckets of schedules. Their number cannot change, because a schedule's bucket follows from it. */
    static final int SCHEDULE_BUCKETS = 16;

    /** The keys of the default namespace. */
    static final RedisKeys DEFAULTS = new RedisKeys(RedisSettings.DEFAULT_NAMESPACE);

    private final String namespace;

    /** @param namespace the beginning of every key and channel ({@code tandem.redis.namespace}) */
    RedisKeys(String namespace) {
        this.namespace = namespace;
    }

    /** Returns the keys that every script of a partition declares, in order. */
    byte[][] of(Partition partition) {
        return PARTS.stream().map(part -> bytes(prefix(partition) + part)).toArray(byte[][]::new);
    }

    /** Returns the key of a partition's ownership, the first of {@link #of}. */
    byte[] owner(Partition partition) {
        return bytes(prefix(partition) + PARTS.get(0));
    }

    /** Returns the key of the tasks with deduplication keys that ended without a run. */
    byte[] untoldEnds(Partition partition) {
        return bytes(prefix(partition) + "untold-ends");
    }

    /** Returns the channel on which a partition's owner is woken. */
    String wakeChannel(Partition partition) {
        return prefix(partition) + "wake";
    }

    /** Returns the key that says which process trims the history of a partition without an owner. */
    byte[] trimmer(Partition partition) {
        return bytes(prefix(partition) + "trimmer");
    }

    /** Returns the key of the names of a queue's partitions that were ever used. */
    byte[] partitions(String queue) {
        return bytes(namespace + ":{" + queue + "}:partitions");
    }

    /** Returns the key of the history of a queue's partitions. */
    byte[] partitionHistory(String queue) {
        return bytes(namespace + ":{" + queue + "}:partition-history");
    }

    /** Returns the key that exists while the queue is paused. Its value is since when, in epoch milliseconds. */
    byte[] paused(String queue) {
        return bytes(namespace + ":{" + queue + "}:paused");
    }

    /** Returns the key of the types and keys that are paused, each with since when, in epoch milliseconds. */
    byte[] pausedTasks(String queue) {
        return bytes(namespace + ":{" + queue + "}:paused-tasks");
    }

    /**
     * Returns the keys of the statistics of a queue: the points in progress, and those that are over, by the order of {@link
     * StatisticsStep}.
     */
    byte[][] statistics(String queue) {
        return STATISTICS_PARTS.stream()
                .map(part -> bytes(namespace + ":{" + queue + "}:statistics" + part))
                .toArray(byte[][]::new);
    }

    /** Returns the channel that announces that a queue was paused or resumed. */
    String pauseChannel(String queue) {
        return namespace + ":{" + queue + "}:changed";
    }

    /** Returns the channel that says which tasks of a queue have ended. */
    String endsChannel(String queue) {
        return namespace + ":{" + queue + "}:ended";
    }

    /** Returns the channel that says for which tasks of a queue somebody waits. */
    String awaitedChannel(String queue) {
        return namespace + ":{" + queue + "}:awaited";
    }

    /** Returns the key of the times at which each executor was last seen, in epoch milliseconds. */
    byte[] executors() {
        return bytes(namespace + ":{executors}:seen");
    }

    /** Returns the key of what each executor says about itself. */
    byte[] executorFacts() {
        return bytes(namespace + ":{executors}:facts");
    }

    /** Returns the key of what each executor has handlers for. */
    byte[] executorHandlers() {
        return bytes(namespace + ":{executors}:handlers");
    }

    /** Returns the key of the types for which each executor had no handler lately. */
    byte[] executorUnhandled() {
        return bytes(namespace + ":{executors}:unhandled");
    }

    /** Returns the key of the queues that each executor works on. */
    byte[] executorWorking() {
        return bytes(namespace + ":{executors}:working");
    }

    /** Returns the key of how long the oldest tasks of each executor have waited. */
    byte[] executorWaits() {
        return bytes(namespace + ":{executors}:waits");
    }

    /** Returns the key of the processes of a host's executors. */
    byte[] processes(String host) {
        return bytes(namespace + ":{executors}:processes:" + host);
    }

    /** Returns the key of who holds a fixed name. */
    byte[] executorName(String name) {
        return bytes(namespace + ":{executors}:name:" + name);
    }

    /** Returns the channel that announces that an executor came or left. */
    String executorsChannel() {
        return namespace + ":{executors}:changed";
    }

    /** Returns the key of the requests to cancel tasks that run, and of their answers. */
    byte[] cancels() {
        return bytes(namespace + ":{executors}:cancels");
    }

    /** Returns the channel that announces such a request. */
    String cancelChannel() {
        return namespace + ":{executors}:cancel";
    }

    /** Returns the key of the requests to find tasks in the memory of executors, and of their answers. */
    byte[] finds() {
        return bytes(namespace + ":{executors}:finds");
    }

    /** Returns the channel that announces such a request. */
    String findChannel() {
        return namespace + ":{executors}:find";
    }

    /** Returns the key of what is known of a deduplication key. All keys of a bucket share a hash tag. */
    byte[] dedup(String queue, int bucket, String key) {
        return bytes(namespace + ":{~dedup/" + bucket + "}:" + queue + "/" + key);
    }

    /** Returns the key of the longest wait for tasks of a queue, in a bucket. No queue has such a name. */
    byte[] longestWait(String queue, int bucket) {
        return bytes(namespace + ":{~dedup/" + bucket + "}:~longest-wait/" + queue);
    }

    /** Returns the key of the tasks that wait for the task with a deduplication key, in its bucket. No queue has such a name. */
    byte[] waiting(String queue, int bucket, String key) {
        return bytes(namespace + ":{~dedup/" + bucket + "}:~waiting/" + queue + "/" + key);
    }

    /** Returns the keys of a limit, in the order of its scripts. */
    byte[][] limit(String name) {
        return new byte[][] {
            bytes(namespace + ":{~limits/" + name + "}:holders"),
            bytes(namespace + ":{~limits/" + name + "}:runs"),
            limitOverride(name)
        };
    }

    /** Returns the key of what an operator has set of a limit in place of its settings. */
    byte[] limitOverride(String name) {
        return bytes(namespace + ":{~limits/" + name + "}:override");
    }

    /** Returns the key of a bucket of a rate limit. All buckets of one limit share a hash tag. */
    byte[] rate(String name, String bucket) {
        return bytes(namespace + ":{~rates/" + name + "}:" + bucket);
    }

    /** Returns the keys of the buckets of a rate limit that are in use, and of those that are paused. No bucket has such a key. */
    byte[][] usedRates(String name) {
        return new byte[][] {
            bytes(namespace + ":{~rates/" + name + "}/used"), bytes(namespace + ":{~rates/" + name + "}/paused")
        };
    }

    /** Returns the key of what an operator has set of a rate limit in place of its settings. No bucket has such a key. */
    byte[] rateOverride(String name) {
        return bytes(namespace + ":{~rates/" + name + "}/override");
    }

    /** Returns the channel that says that the rate of a limit has changed. */
    String rateChannel(String name) {
        return namespace + ":{~rates/" + name + "}/changed";
    }

    /** Returns the key of what a rate limit is. No bucket has such a key. */
    byte[] rateInfo(String name) {
        return bytes(namespace + ":{~rates/" + name + "}/info");
    }

    /** Returns the key of the names of rate limits, with the times at which they were last used. */
    byte[] rates() {
        return bytes(namespace + ":{~rates}:names");
    }

    /** Returns the channel that says which executors should ask about a limit's permits again. */
    String limitChannel(String name) {
        return namespace + ":{~limits/" + name + "}:changed";
    }

    /** Returns the key of the names of limits, with the times at which they were last used. */
    byte[] limits() {
        return bytes(namespace + ":{~limits}:names");
    }

    /** Returns the keys of all fan-outs of a bucket: those that are due, open and ended. */
    byte[][] fanOuts(int bucket) {
        return FAN_OUT_LISTS.stream().map(list -> bytes(fanOut(bucket, list))).toArray(byte[][]::new);
    }

    /** Returns the keys of one fan-out, in the order of its script. */
    byte[][] fanOut(String id) {
        return FAN_OUT_PARTS.stream()
                .map(part -> bytes(fanOut(FanOutBuckets.of(id), id + part)))
                .toArray(byte[][]::new);
    }

    /** Returns the key of the number of a caller's last call to a bucket. No fan-out has such a key. */
    byte[] fanOutCaller(int bucket, String caller) {
        return bytes(fanOut(bucket, "caller:" + caller));
    }

    private String fanOut(int bucket, String name) {
        return namespace + ":{~fan-outs/" + bucket + "}:" + name;
    }

    /** Returns the keys of a bucket of schedules, in the order of its scripts. No queue has such a name. */
    byte[][] schedules(int bucket) {
        return SCHEDULE_PARTS.stream()
                .map(part -> bytes(namespace + ":{~schedules/" + bucket + "}:" + part))
                .toArray(byte[][]::new);
    }

    /** Returns the keys of all operations on many tasks, in the order of their scripts. No queue has such a name. */
    byte[][] operations() {
        return OPERATION_PARTS.stream()
                .map(part -> bytes(namespace + ":{~operations}:" + part))
                .toArray(byte[][]::new);
    }

    /** Returns the key of what operations have done in a partition. */
    byte[] operations(Partition partition) {
        return bytes(prefix(partition) + "operations");
    }

    /** Returns the keys of a partition, behind them that of operations, and that of its events if there are some. */
    byte[][] withOperations(Partition partition, boolean events) {
        byte[][] keys = of(partition);
        byte[][] all = Arrays.copyOf(keys, keys.length + (events ? 2 : 1));
        all[keys.length] = operations(partition);
        if (events) {
            all[keys.length + 1] = events(partition);
        }
        return all;
    }

    /** Returns the keys of a partition, and behind them that of its events. */
    byte[][] withEvents(Partition partition) {
        byte[][] keys = of(partition);
        byte[][] all = Arrays.copyOf(keys, keys.length + 1);
        all[keys.length] = events(partition);
        return all;
    }

    /** Returns the list of the events of a partition that wait. */
    byte[] events(Partition partition) {
        return bytes(prefix(partition) + "events");
    }

    /** Returns the channel that announces that an operator has changed a schedule. */
    String schedulesChannel() {
        return namespace + ":{~schedules}:changed";
    }

    /** Returns a key that is never written, for asking a node of a cluster whether it takes writes. */
    byte[] fitness(int number) {
        return bytes(namespace + ":{fitness-" + number + "}:probe");
    }

    /** Returns the key of the messages for a process. No queue has such a name. */
    byte[] mailbox(String process) {
        return bytes(namespace + ":{~mail/" + process + "}:messages");
    }

    /** Returns the channel that wakes a process, because there are messages for it. */
    String mailChannel(String process) {
        return namespace + ":{~mail/" + process + "}:arrived";
    }

    /** Returns the channel that says which executors have tasks of a queue for pull workers. */
    String pulledChannel(String queue) {
        return namespace + ":{" + queue + "}:pulled";
    }

    /** Returns the key of the tokens of the HTTP API. No queue has such a name. */
    byte[] accessTokens() {
        return bytes(namespace + ":{~access}:tokens");
    }

    /** Returns the keys of the requests with keys of their callers, in the order of their scripts. */
    byte[][] keyedRequests() {
        return new byte[][] {bytes(namespace + ":{~requests}:entries"), bytes(namespace + ":{~requests}:ends")};
    }

    /** Returns the key of a part of what was asked for by the HTTP API. */
    byte[] auditLog(String part) {
        return bytes(namespace + ":{~access}:" + part);
    }

    private String prefix(Partition partition) {
        return namespace + ":{" + partition + "}:";
    }
}
