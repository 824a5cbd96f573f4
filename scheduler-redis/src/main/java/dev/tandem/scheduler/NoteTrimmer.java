package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Removes notes of tasks that are gone. It looks at a random sample of a partition's notes: in each round while that finds
 * such notes, and otherwise once in {@link #IDLE_ROUNDS} + 1 rounds. Thread-safe.
 */
final class NoteTrimmer {

    /** The entries of each hash that one script looks at. */
    private static final int SAMPLE = 50;

    /** The rounds in which a partition is left alone after a look that removed nothing: five minutes in all. */
    static final int IDLE_ROUNDS = 29;

    /** Notes without a task are kept this long, because the broker may still deliver a returned task. */
    private static final Duration AGE = Duration.ofDays(1);

    private final AdminConnection connection;
    /** The rounds in which partitions are still left alone. */
    private final Map<Partition, Integer> idle = new ConcurrentHashMap<>();

    private final Duration age;

    NoteTrimmer(AdminConnection connection) {
        this(connection, AGE);
    }

    NoteTrimmer(AdminConnection connection, Duration age) {
        this.connection = connection;
        this.age = age;
    }

    /** Forgets what it knows of all partitions but these. */
    void retain(Collection<Partition> partitions) {
        idle.keySet().retainAll(partitions);
    }

    /** Does a round in one partition. Returns how many notes were removed. */
    CompletableFuture<Long> trim(Partition partition) {
        int rounds = idle.getOrDefault(partition, 0);
        if (rounds > 0) {
            idle.put(partition, rounds - 1);
            return CompletableFuture.completedFuture(0L);
        }
        return connection
                .runScript(
                        Script.TRIM_NOTES,
                        partition,
                        bytes(Integer.toString(SAMPLE)),
                        bytes(Long.toString(age.toMillis())))
                .thenApply(reply -> {
                    long removed = new ReplyReader(reply).number();
                    idle.put(partition, removed > 0 ? 0 : IDLE_ROUNDS);
                    return removed;
                });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
