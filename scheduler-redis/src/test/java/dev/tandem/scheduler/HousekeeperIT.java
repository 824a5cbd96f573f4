package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.ScriptOutputType;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Trimming of history. */
class HousekeeperIT extends OperatorTestBase {

    /** Twice of what a round looks at in any case is far less than this. */
    private static final int LIVE = 120_000;

    /** A partition that the store of this test does not own, and so does not trim by itself every ten seconds. */
    private final Partition ownerless = Partition.of(queue, 1);

    @Test
    void trimsHistoryButNotADeadTaskThatHaltsItsKey() {
        halt("k", 1);
        for (int offset = 2; offset < 9; offset++) {
            long token = claim(offset, null);
            Position position = Position.of(0, offset);
            owner.settleAndClaim(
                    List.of(new Settle(
                            position,
                            token,
                            null,
                            new SettledMark.Offset(offset),
                            offset < 6
                                    ? new Verdict.Dead(DeadHead.SKIP, envelope(null, token))
                                    : new Verdict.Success(kept(null, null)),
                            0)),
                    List.of());
        }
        assertThat(trim(keeping(Duration.ofDays(1), 2, 2))).isEqualTo(2 + 1);
        assertThat(offsets(TaskState.DEAD)).containsExactly(5L, 4L, 1L);
        assertThat(offsets(TaskState.SUCCEEDED)).containsExactly(8L, 7L);
        assertThat(trim(keeping(Duration.ZERO, 3, 2))).isEqualTo(2);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
    }

    /** The lanes cannot be read, so no lane can be drained. */
    @Test
    void drainThatFailsKeepsBackNoOtherJob() {
        halt("k", 1);
        die(2);
        succeed(Map.of(3L, kept(null, null)));
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        get(store.adminConnection().run(commands -> commands.hset(keys[0], bytes("drain:k"), bytes("0:1"))));
        get(store.adminConnection().run(commands -> commands.set(keys[8], bytes("no lanes"))));

        assertThat(trim(keeping(Duration.ZERO, 0, 0))).isEqualTo(2);

        boolean blocked = get(store.adminConnection().run(commands -> commands.hexists(keys[7], bytes("k"))));
        assertThat(blocked).as("the drain has failed, and the key is blocked").isTrue();
        assertThat(offsets(TaskState.SUCCEEDED)).isEmpty();
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
    }

    @Test
    void labelsOfEndedTasksGoHoweverManyLabelsAreInUse() {
        load(ownerless, "live", LIVE, 1);
        load(ownerless, "gone", 1_200, 1);
        Housekeeper housekeeper = housekeeper(Retention.DEFAULTS);
        int rounds = 0;
        while (labels(ownerless) > LIVE && rounds < 100) {
            get(housekeeper.trim(ownerless));
            rounds++;
        }
        assertThat(labels(ownerless)).isEqualTo(LIVE);
        assertThat(rounds).as("a round does not look at everything").isGreaterThan(2);
    }

    /** A round begins every ten seconds, so that ten thousand ended ids a second are kept up with, and more. */
    @Test
    void oneRoundLetsGoOfTwoHundredThousandEndedLabels() {
        load(ownerless, "live", LIVE, 1);
        load(ownerless, "gone", 200_000, 1);
        // A round ends early if Redis does not answer in time.
        RedisSettings patient = RedisSettings.of(Brokers.redis().uri()).withAnswerTimeout(Brokers.PATIENCE);
        try (RedisStore other = RedisStore.open(patient)) {
            get(new Housekeeper(other.adminConnection(), other.admin(), Retention.DEFAULTS).trim(ownerless));
        }
        assertThat(labels(ownerless)).isEqualTo(LIVE);
    }

    @Test
    void labelOfManyTasksLosesThoseThatEnded() {
        load(partition, "live", 1, 40);
        load(partition, "gone", 1, 40);
        Housekeeper housekeeper = housekeeper(Retention.DEFAULTS);
        for (int round = 0; round < 3; round++) {
            get(housekeeper.trim(partition));
        }
        assertThat(labels(partition)).isEqualTo(1);
        assertThat(get(store.inspector().task(partition, Position.of(0, 40)))).isPresent();
        byte[] index = RedisKeys.DEFAULTS.of(partition)[16];
        byte[] kept = get(store.adminConnection().run(commands -> commands.hget(index, bytes("live-1"))));
        assertThat(new String(kept, StandardCharsets.UTF_8).lines()).hasSize(40).doesNotHaveDuplicates();
    }

    @Test
    void bitsThatACommitLeftGo() {
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        get(store.adminConnection()
                .run(commands -> commands.<Long>eval(
                        "for i = 0, 9999 do redis.call('HSET', KEYS[10], i, 'x') end"
                                + " return redis.call('HSET', KEYS[1], 'mirror', 9900 * 512)",
                        ScriptOutputType.INTEGER,
                        keys)));
        Housekeeper housekeeper = housekeeper(Retention.DEFAULTS);
        for (int round = 0; round < 3; round++) {
            get(housekeeper.trim(partition));
        }
        // The last chunk begins below the stored commit.
        long blocks = get(store.adminConnection().run(commands -> commands.hlen(keys[9])));
        assertThat(blocks).isEqualTo(10_000 - 9_900 / 32 * 32);
    }

    /** A partition that its queue does not have any more, and that holds nothing to run. */
    @Test
    void partitionThatNobodyOwnsIsTrimmed() {
        die(1);
        assertThat(offsets(TaskState.DEAD)).containsExactly(1L);
        await().until(() -> get(store.inspector().partitions(queue)).contains(partition));
        Retention nothing = keeping(Duration.ZERO, 0, 0);
        try (RedisStore other = RedisStore.open(RedisSettings.of(Brokers.redis().uri()), nothing, Map.of())) {
            CompletableFuture<Collection<Partition>> held = new CompletableFuture<>();
            other.findHeld(queue, List.of(), held::complete);
            assertThat(get(held)).isEmpty();
            other.trimNow();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(() -> assertThat(offsets(TaskState.DEAD)).isEmpty());
        }
    }

    @Test
    void onlyOneProcessTrimsAPartitionThatNobodyOwns() {
        Housekeeper one = housekeeper(Retention.DEFAULTS);
        Housekeeper other = housekeeper(Retention.DEFAULTS);
        assertThat(get(one.takeTurn(partition))).isTrue();
        assertThat(get(other.takeTurn(partition))).isFalse();
        assertThat(get(one.takeTurn(partition))).isTrue();
    }

    private void die(long offset) {
        long token = claim(offset, null);
        Verdict dead = new Verdict.Dead(DeadHead.SKIP, envelope(null, token));
        Position position = Position.of(0, offset);
        owner.settleAndClaim(
                List.of(new Settle(position, token, null, new SettledMark.Offset(offset), dead, 0)), List.of());
    }

    private static Retention keeping(Duration deadFor, int maxDead, int maxSucceeded) {
        return new Retention(deadFor, maxDead, Duration.ofDays(1), maxSucceeded, Integer.MAX_VALUE);
    }

    private long trim(Retention retention) {
        return get(housekeeper(retention).trim(partition));
    }

    private static Housekeeper housekeeper(Retention retention) {
        return new Housekeeper(store.adminConnection(), store.admin(), retention);
    }

    private static long labels(Partition of) {
        return get(store.adminConnection()
                .run(commands -> commands.hlen(RedisKeys.DEFAULTS.of(of)[16])));
    }

    /** Writes ids, each of so many tasks that are in custody ("live") or not ("gone"), a few thousand in a script. */
    private static void load(Partition into, String kind, int ids, int tasks) {
        String script = """
                for id = ARGV[2], ARGV[3] do
                  local positions = {}
                  for n = 1, ARGV[4] do
                    positions[n] = (ARGV[1] == 'live' and '0:' or '1:') .. ((id - 1) * ARGV[4] + n)
                    if ARGV[1] == 'live' then
                      redis.call('HSET', KEYS[5], positions[n], '\\1\\0')
                    end
                  end
                  redis.call('HSET', KEYS[17], ARGV[1] .. '-' .. id, table.concat(positions, '\\n'))
                end
                return ARGV[3]
                """;
        for (int first = 1; first <= ids; first += 5_000) {
            byte[] from = bytes(Integer.toString(first));
            byte[] to = bytes(Integer.toString(Math.min(ids, first + 4_999)));
            get(store.adminConnection()
                    .run(commands -> commands.<byte[]>eval(
                            script.getBytes(StandardCharsets.UTF_8),
                            ScriptOutputType.VALUE,
                            RedisKeys.DEFAULTS.of(into),
                            bytes(kind),
                            from,
                            to,
                            bytes(Integer.toString(tasks)))));
        }
    }
}
