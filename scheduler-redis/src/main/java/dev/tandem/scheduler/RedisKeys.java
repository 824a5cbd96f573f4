package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Builds every Redis key and channel. All keys of a partition share a hash tag, so that one script may touch them all. */
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
            "given");

    private RedisKeys() {}

    /** Returns the keys that every script of a partition declares, in order. */
    static byte[][] of(Partition partition) {
        return PARTS.stream().map(part -> bytes(prefix(partition) + part)).toArray(byte[][]::new);
    }

    /** Returns the channel on which a partition's owner is woken. */
    static String wakeChannel(Partition partition) {
        return prefix(partition) + "wake";
    }

    /** Returns the key of the names of a queue's partitions that were ever used. */
    static byte[] partitions(String queue) {
        return bytes("tandem:{" + queue + "}:partitions");
    }

    /** Returns the key that exists while the queue is paused. Its value is since when, in epoch milliseconds. */
    static byte[] paused(String queue) {
        return bytes("tandem:{" + queue + "}:paused");
    }

    /** Returns the channel that announces that a queue was paused or resumed. */
    static String pauseChannel(String queue) {
        return "tandem:{" + queue + "}:changed";
    }

    /** Returns the key of the times at which each executor was last seen, in epoch milliseconds. */
    static byte[] executors() {
        return bytes("tandem:{executors}:seen");
    }

    /** Returns the key of what each executor says about itself. */
    static byte[] executorFacts() {
        return bytes("tandem:{executors}:facts");
    }

    /** Returns the key of the processes of a host's executors. */
    static byte[] processes(String host) {
        return bytes("tandem:{executors}:processes:" + host);
    }

    /** Returns the key of who holds a fixed name. */
    static byte[] executorName(String name) {
        return bytes("tandem:{executors}:name:" + name);
    }

    /** Returns the channel that announces that an executor came or left. */
    static String executorsChannel() {
        return "tandem:{executors}:changed";
    }

    private static String prefix(Partition partition) {
        return "tandem:{" + partition + "}:";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
