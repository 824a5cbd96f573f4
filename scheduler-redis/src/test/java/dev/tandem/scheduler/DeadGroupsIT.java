package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.ErrorFingerprint;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.DeadGroup;
import dev.tandem.task.store.DeadGroups;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Dead tasks by type and error. That requests of owners keep them right is compared in DifferentialIT. */
class DeadGroupsIT extends OperatorTestBase {

    private static final List<String> PARTS = List.of(
            "order ",
            "o-17",
            "4711",
            " ",
            "\"",
            "'",
            ": ",
            "status ",
            "503",
            "#",
            "é",
            "java.io.IOException",
            ".",
            "\n",
            "HTTP ",
            "x",
            "attempt 3 of 3 was the last: ",
            "skipped by an operator, after: ",
            "\u0001",
            "日本",
            "7f9c1b2e-0000-4a4a-8b8b-deadbeefcafe",
            "S3Exception",
            "[%d",
            ", ",
            "12:30",
            "\r",
            "\u0085",
            "$");

    private static StatefulRedisConnection<byte[], byte[]> connection;

    @BeforeAll
    static void connect() {
        connection = Brokers.redis().client().connect(ByteArrayCodec.INSTANCE);
    }

    @AfterAll
    static void disconnect() {
        if (connection != null) {
            connection.close();
        }
    }

    @Test
    void groupsSayWhatDied() {
        long before = System.currentTimeMillis() - 60_000;
        die(1, "ship", null, "java.io.IOException: order 17\n  at One.two");
        die(2, "ship", "k", "java.io.IOException: order 18\n  at Three.four");
        die(3, "mail", null, "java.io.IOException: order 19");
        die(4, null, null, "boom");

        DeadGroups groups = groups(10);
        assertThat(groups.dead()).isEqualTo(4);
        assertThat(groups.ungrouped()).isZero();
        assertThat(groups.partial()).isFalse();
        assertThat(groups.groups()).hasSize(3);
        DeadGroup first = groups.groups().get(0);
        assertThat(first.fingerprint()).isEqualTo(ErrorFingerprint.of("ship", "java.io.IOException: order 1"));
        assertThat(first.type()).isEqualTo("ship");
        assertThat(first.error()).isEqualTo("java.io.IOException: order 18");
        assertThat(first.count()).isEqualTo(2);
        assertThat(first.halting()).isOne();
        assertThat(first.firstDied()).isBetween(before, first.lastDied());
        assertThat(groups.groups().subList(1, 3)).extracting(DeadGroup::type).containsExactlyInAnyOrder("mail", null);
        assertThat(groups(1).partial()).isTrue();
        assertThat(groups(1).groups()).containsExactly(first);
        assertThat(groups(1).halting())
                .as("those of all groups")
                .isEqualTo(groups.halting())
                .isOne();
    }

    @Test
    void theScriptsFindWhatJavaFinds() {
        long seed = System.nanoTime();
        System.out.println("Errors of seed " + seed);
        Random random = new Random(seed);
        List<HandOver> entries = new ArrayList<>();
        for (int i = 0; i < 450; i++) {
            StringBuilder error = new StringBuilder();
            for (int parts = random.nextInt(12); parts > 0; parts--) {
                error.append(PARTS.get(random.nextInt(PARTS.size())).repeat(random.nextInt(20) == 0 ? 60 : 1));
            }
            entries.add(dead(i, random.nextBoolean() ? "ship" : null, error.toString()));
        }
        hand(entries);
        stored().check(Set.of());
        assertThat(groups(1_000).groups())
                .allSatisfy(group -> assertThat(group.error()).doesNotContain("\uFFFD"));
    }

    @Test
    void whatIsBeyondTheMostGroupsIsInOneMore() {
        List<HandOver> entries = new ArrayList<>();
        for (int i = 0; i < ScriptCodes.MAX_DEAD_GROUPS + 20; i++) {
            entries.add(dead(i, "ship", "boom " + "x".repeat(i % 80) + " " + "y".repeat(i / 80)));
        }
        hand(entries);
        stored().check(Set.of());
        DeadGroups groups = groups(1_000);
        assertThat(groups.groups()).hasSize(ScriptCodes.MAX_DEAD_GROUPS + 1);
        assertThat(groups.groups().get(0).fingerprint()).isEqualTo(DeadGroup.OTHER);
        assertThat(groups.groups().get(0).count()).isEqualTo(20);

        get(store.admin().delete(partition, Position.of(0, 0)));
        get(store.admin().delete(partition, Position.of(0, ScriptCodes.MAX_DEAD_GROUPS + 1)));
        stored().check(Set.of());
        assertThat(groups(1_000).groups()).hasSize(ScriptCodes.MAX_DEAD_GROUPS);
    }

    @Test
    void tasksOfEarlierVersionsAreInNoGroup() {
        die(1, "ship", "k", "boom");
        die(2, "ship", null, "boom");
        die(3, "ship", null, "boom");
        byte[][] keys = RedisKeys.DEFAULTS.of(partition);
        get(store.adminConnection().run(commands -> commands.del(keys[27], keys[28])));
        die(4, "ship", null, "boom");
        stored().check(Set.of("0:1", "0:2", "0:3"));
        assertThat(groups(10).ungrouped()).isEqualTo(3);

        get(store.admin().skipKey(partition, "k"));
        get(store.admin().delete(partition, Position.of(0, 2)));
        get(store.admin().retry(partition, Position.of(0, 3)));
        stored().check(Set.of("0:1"));
        assertThat(groups(10).ungrouped()).isOne();
        assertThat(groups(10).groups())
                .singleElement()
                .satisfies(group -> assertThat(group.count()).isOne());
    }

    @Test
    void operatorsAndTheHousekeeperKeepThemRight() {
        long seed = System.nanoTime();
        System.out.println("Changes of seed " + seed);
        Random random = new Random(seed);
        for (int step = 0; step < 250; step++) {
            long offset = step;
            @Nullable String key = random.nextInt(3) == 0 ? null : "k" + random.nextInt(6);
            boolean blocked = key != null
                    && !get(store.inspector().keys().find(partition, key)).isEmpty();
            String error = random.nextInt(4) == 0 ? "late " + step : "boom " + "x".repeat(random.nextInt(3));
            if (blocked) {
                hand(List.of(handOver(offset, key, new Move.Park(), error)));
            } else {
                die(offset, random.nextBoolean() ? "ship" : null, key, error);
            }
            change(random, Position.of(0, random.nextInt(step + 1)), "k" + random.nextInt(6));
            stored().check(Set.of());
        }
        get(housekeeper(Duration.ZERO).trim(partition));
        stored().check(Set.of());
        assertThat(stored().groups()).hasSizeLessThanOrEqualTo(6);
    }

    @Test
    void anOperationSkipsWhatHaltsKeysAndNothingElse() {
        die(1, "ship", "k1", "boom");
        park("k1", 2);
        die(3, "ship", "k2", "boom");
        die(4, "ship", null, "boom");
        assertThat(groups(10).groups().get(0).halting()).isEqualTo(2);

        OperationTasks tasks = store.operationTasks();
        var page = get(tasks.page(partition, OperationTasks.Stage.DEAD, null, Long.MAX_VALUE));
        OperationTasks.Done done = get(tasks.step(
                        partition, "o", OperationTasks.Done.NOTHING, new TaskChange.Skip(), page.tasks(), 3, 3, ""))
                .orElseThrow();

        assertThat(done.changed()).isEqualTo(2);
        assertThat(done.refused()).as("the one that halts no key").isOne();
        assertThat(get(store.inspector().keys().find(partition, "k2"))).isEmpty();
        assertThat(due().claimed())
                .singleElement()
                .satisfies(task -> assertThat(task.position()).isEqualTo(Position.of(0, 2)));
        assertThat(get(store.inspector().task(partition, Position.of(0, 1)))
                        .orElseThrow()
                        .envelope()
                        .error())
                .isEqualTo("skipped by an operator, after: boom");
        assertThat(groups(10).groups()).singleElement().satisfies(group -> {
            assertThat(group.count()).isEqualTo(3);
            assertThat(group.halting()).isZero();
        });
        stored().check(Set.of());
    }

    private void change(Random random, Position position, String key) {
        switch (random.nextInt(7)) {
            case 0 -> get(store.admin().retry(partition, position));
            case 1 -> get(store.admin().delete(partition, position));
            case 2 -> get(store.admin().skipKey(partition, key, random.nextBoolean()));
            case 3 -> get(store.admin().drainKey(partition, key, random.nextBoolean()));
            case 4 -> get(store.admin().retryKey(partition, key));
            case 5 -> dieAgain(random);
            default -> get(housekeeper(Duration.ofMillis(random.nextInt(200))).trim(partition));
        }
    }

    /** Claims what is due, and lets it die. */
    private void dieAgain(Random random) {
        List<Settle> settles = new ArrayList<>();
        due().claimed().forEach(task -> {
            Envelope envelope = Envelope.decode(queue, task.envelope());
            Envelope failed = new Envelope(envelope.task(), 3, task.token(), "again " + random.nextInt(10));
            DeadHead head = DeadHead.values()[random.nextInt(DeadHead.values().length)];
            settles.add(new Settle(
                    task.position(),
                    task.token(),
                    envelope.task().key(),
                    SettledMark.NONE,
                    new Verdict.Dead(head, failed.encode()),
                    0));
        });
        owner.settleAndClaim(settles, List.of());
    }

    private Housekeeper housekeeper(Duration keep) {
        Retention retention = new Retention(keep, 40, Duration.ofDays(1), 100, 1 << 20);
        return new Housekeeper(store.adminConnection(), store.admin(), retention);
    }

    private void die(long offset, @Nullable String type, @Nullable String key, String error) {
        long token = claim(offset, key);
        byte[] envelope = new Envelope(task(type, key), 3, token, error).encode();
        owner.settleAndClaim(
                List.of(new Settle(
                        Position.of(0, offset),
                        token,
                        key,
                        new SettledMark.Offset(offset),
                        new Verdict.Dead(DeadHead.HALT, envelope),
                        0)),
                List.of());
    }

    private HandOver dead(long offset, @Nullable String type, String error) {
        byte[] envelope = new Envelope(task(type, null), 1, 0, error).encode();
        return new HandOver(Position.of(0, offset), null, new SettledMark.Offset(offset), new Move.Bury(), envelope);
    }

    private HandOver handOver(long offset, @Nullable String key, Move move, String error) {
        byte[] envelope = new Envelope(task("ship", key), 1, 0, error).encode();
        return new HandOver(Position.of(0, offset), key, new SettledMark.Offset(offset), move, envelope);
    }

    private Task task(@Nullable String type, @Nullable String key) {
        return new Task(null, queue, type, key, new byte[] {1}, Map.of(), 0, 0, 0, 0, null);
    }

    private DeadGroups groups(int most) {
        return get(store.inspector().deadGroups(partition, most));
    }

    private StoredGroups stored() {
        return StoredGroups.read(partition, connection.async());
    }
}
