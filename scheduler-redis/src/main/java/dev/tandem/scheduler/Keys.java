package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Builds every Redis key and channel. All keys of a partition share one hash tag, so one script may touch them all. */
final class Keys {

    /** In the order in which every script gets them; see {@code include/keys.lua}. */
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

    private Keys() {}

    /** The keys that every script of a partition declares, in order. */
    static byte[][] of(Partition partition) {
        return PARTS.stream().map(part -> bytes(prefix(partition) + part)).toArray(byte[][]::new);
    }

    /** The channel on which a partition's owner is woken. */
    static String wake(Partition partition) {
        return prefix(partition) + "wake";
    }

    /** The names of a queue's partitions that were ever used. */
    static byte[] partitions(String queue) {
        return bytes("tandem:{" + queue + "}:partitions");
    }

    /** There while the queue is paused; its value says since when, in epoch milliseconds. */
    static byte[] paused(String queue) {
        return bytes("tandem:{" + queue + "}:paused");
    }

    /** The channel on which a queue's pausing and resuming is told. */
    static String changed(String queue) {
        return "tandem:{" + queue + "}:changed";
    }

    /** When each executor was last seen, in epoch milliseconds. */
    static byte[] executors() {
        return bytes("tandem:{executors}:seen");
    }

    /** What each executor says of itself. */
    static byte[] executorFacts() {
        return bytes("tandem:{executors}:facts");
    }

    /** The channel on which an executor's coming and leaving is told. */
    static String executorsChanged() {
        return "tandem:{executors}:changed";
    }

    private static String prefix(Partition partition) {
        return "tandem:{" + partition + "}:";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
