package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.Partition;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The dead tasks of a partition and their groups, as Redis has them.
 *
 * @param dead position to envelope
 * @param grouped position to group
 * @param groups group to record
 * @param blocked key to entry
 */
record StoredGroups(
        Partition partition,
        Map<String, byte[]> dead,
        Map<String, String> grouped,
        Map<String, String> groups,
        Map<String, String> blocked) {

    private static final int BLOCKED = 7;
    private static final int DEAD_TASKS = 11;
    private static final int GROUPS = 27;
    private static final int GROUPED = 28;

    static StoredGroups read(Partition partition, RedisClusterAsyncCommands<byte[], byte[]> commands) {
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        return new StoredGroups(
                partition,
                hash(commands.hgetall(keys[DEAD_TASKS]), bytes -> bytes),
                hash(commands.hgetall(keys[GROUPED]), StoredGroups::text),
                hash(commands.hgetall(keys[GROUPS]), StoredGroups::text),
                hash(commands.hgetall(keys[BLOCKED]), StoredGroups::text));
    }

    /**
     * Checks that the groups say what the dead tasks say: each is in the group of its type and error, and what is counted is what
     * there is.
     *
     * @param earlier positions of tasks that died under an earlier version, and are in no group
     */
    void check(Set<String> earlier) {
        Map<String, Long> counts = new TreeMap<>();
        dead.forEach((position, envelope) -> {
            String group = grouped.get(position);
            if (earlier.contains(position)) {
                assertThat(group).as("group of %s", position).isNull();
                return;
            }
            if (!DeadGroup.OTHER.equals(group)) {
                Envelope task = Envelope.decode(partition.queue(), envelope);
                assertThat(group)
                        .as("group of %s, which died of '%s'", position, task.error())
                        .isEqualTo(ErrorFingerprint.of(task));
            }
            counts.merge(group, 1L, Long::sum);
        });
        assertThat(dead.keySet()).containsAll(grouped.keySet());
        Map<String, Long> halting = new HashMap<>();
        blocked.values().stream()
                .map(BlockedEntry::parse)
                .filter(entry -> entry.reason() == BlockReason.HALTED)
                .map(entry -> grouped.get(entry.head().text()))
                .filter(group -> group != null)
                .forEach(group -> halting.merge(group, 1L, Long::sum));
        Map<String, String> expected = new TreeMap<>();
        counts.forEach((group, count) -> expected.put(group, count + " " + halting.getOrDefault(group, 0L)));
        Map<String, String> counted = new TreeMap<>();
        groups.forEach((group, record) -> counted.put(group, record.split(" ")[0] + " " + record.split(" ")[1]));
        assertThat(counted).as("tasks and halted keys of each group").isEqualTo(expected);
    }

    private static <T> Map<String, T> hash(CompletionStage<Map<byte[], byte[]>> answer, Function<byte[], T> value) {
        Map<String, T> hash = new HashMap<>();
        answer.toCompletableFuture().join().forEach((field, bytes) -> hash.put(text(field), value.apply(bytes)));
        return hash;
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
