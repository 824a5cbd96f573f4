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
            "stats");

    private Keys() {}

    /** The keys that every script of a partition declares, in order. */
    static byte[][] of(Partition partition) {
        return PARTS.stream().map(part -> bytes(prefix(partition) + part)).toArray(byte[][]::new);
    }

    /** The channel on which a partition's owner is woken. */
    static String wake(Partition partition) {
        return prefix(partition) + "wake";
    }

    private static String prefix(Partition partition) {
        return "tandem:{" + partition + "}:";
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
