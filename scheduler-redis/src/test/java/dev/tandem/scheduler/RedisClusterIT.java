package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalRedis;
import dev.tandem.local.LocalRedisCluster;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.MigrateArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The store on a Redis Cluster of three primaries with a replica each. */
class RedisClusterIT {

    private static LocalRedisCluster cluster;
    private static RedisClient client;

    private final String queue = UniqueNames.fresh("orders");
    private RedisStore store;

    @BeforeAll
    static void startCluster() {
        cluster = Brokers.ownRedisCluster();
        client = RedisClient.create();
    }

    @AfterAll
    static void stopCluster() {
        if (cluster != null) {
            client.shutdown();
            cluster.close();
        }
    }

    @BeforeEach
    void open() {
        store = open(RedisSettings.cluster(List.of(cluster.address().split(","))));
    }

    @AfterEach
    void close() {
        store.close();
    }

    private static RedisStore open(RedisSettings settings) {
        return RedisStore.open(settings.withAnswerTimeout(Duration.ofSeconds(2)));
    }

    @Test
    void oneNodeThatIsFitIsAReachablePart() {
        List<LocalRedis> primaries = cluster.primaries();
        AtomicInteger reached = new AtomicInteger();
        try {
            primaries.forEach(node -> setPolicy(node, "allkeys-lru"));
            store.findReachablePart(reached::incrementAndGet);
            await().during(Duration.ofSeconds(1)).until(() -> reached.get() == 0);
            setPolicy(primaries.get(1), "noeviction");
            store.findReachablePart(reached::incrementAndGet);
            await().until(() -> reached.get() == 1);
        } finally {
            primaries.forEach(node -> setPolicy(node, "noeviction"));
        }
    }

    /** Each is asked for a write under a key of its own slots, since nothing else says that it refuses them. */
    @Test
    void aClusterWhoseNodesAllRefuseWritesIsNotReachable() {
        List<LocalRedis> primaries = cluster.primaries();
        AtomicInteger reached = new AtomicInteger();
        try {
            primaries.forEach(node -> set(node, "min-replicas-to-write", "5"));
            store.findReachablePart(reached::incrementAndGet);
            await().during(Duration.ofSeconds(1)).until(() -> reached.get() == 0);
            set(primaries.get(2), "min-replicas-to-write", "0");
            store.findReachablePart(reached::incrementAndGet);
            await().until(() -> reached.get() == 1);
        } finally {
            primaries.forEach(node -> set(node, "min-replicas-to-write", "0"));
        }
    }

    /** One slot that nobody serves is enough: by default a cluster refuses everything then. */
    @Test
    void aClusterThatIsDownIsNotReachableAndNotUsed() {
        int slot = SlotHash.getSlot("uncovered");
        LocalRedis primary = cluster.primaryOf(slot);
        AtomicInteger reached = new AtomicInteger();
        RecordedEvents recorded = new RecordedEvents();
        store.link(Partition.of(queue, 0), recorded);
        await().until(() -> recorded.events.contains("up"));
        try {
            await().untilAsserted(() -> {
                // A node learns anew who serves the slot from a message that was sent before.
                cluster.nodes().forEach(node -> ask(node, redis -> forget(redis, slot)));
                assertThat(store.status().detail()).contains("it refuses all writes (CLUSTERDOWN The cluster is down");
            });
            assertThat(recorded.events).containsExactly("up", "down");
            store.findReachablePart(reached::incrementAndGet);
            await().during(Duration.ofSeconds(1)).until(() -> reached.get() == 0);
        } finally {
            ask(primary, redis -> redis.clusterAddSlots(slot));
            cluster.awaitReady();
        }
        store.findReachablePart(reached::incrementAndGet);
        await().until(() -> reached.get() == 1);
        await().untilAsserted(() -> assertThat(recorded.events).containsExactly("up", "down", "up"));
    }

    private static void forget(RedisCommands<String, String> redis, int slot) {
        try {
            redis.clusterDelSlots(slot);
        } catch (RedisCommandExecutionException e) {
            assertThat(e).hasMessageContaining("already unassigned");
        }
    }

    private static void setPolicy(LocalRedis node, String policy) {
        set(node, "maxmemory-policy", policy);
    }

    private static void set(LocalRedis node, String setting, String value) {
        ask(node, redis -> redis.configSet(setting, value));
    }

    private static void ask(LocalRedis node, Consumer<RedisCommands<String, String>> question) {
        try (StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(node.address()))) {
            question.accept(connection.sync());
        }
    }

    @Test
    void spreadsPartitionsOverTheCluster() {
        Set<Integer> ports = new HashSet<>();
        for (int i = 0; i < 12; i++) {
            Partition partition = Partition.of(queue, i);
            ports.add(nodeOf(partition).port());
            TestOwner owner = new TestOwner(store, partition, "one");
            owner.acquire();
            Claim claim = claim(owner, 1);
            assertThat(owner.settleAndClaim(List.of(), List.of(claim)).claims()).containsExactly(ClaimResult.Ok.FIRST);
            assertThat(owner.settleAndClaim(List.of(success(claim)), List.of()).settles())
                    .containsExactly(SettleResult.Ok.PLAIN);
        }
        assertThat(ports).hasSize(3);
    }

    @Test
    void aLateOutcomeWakesAnOwnerConnectedToAnotherNode() {
        Partition partition = Partition.of(queue, 0);
        TestOwner former = new TestOwner(store, partition, "one");
        former.acquire();
        Claim claim = claim(former, 1);
        former.settleAndClaim(List.of(), List.of(claim));
        former.ask(new StoreRequest.Release(former.header()), StoreAnswer.Ok.class);
        try (RedisStore elsewhere =
                open(RedisSettings.cluster(List.of(cluster.nodes().get(4).address())))) {
            TestOwner owner = new TestOwner(elsewhere, partition, "two");
            owner.acquire();
            int before = owner.wakes.get();
            // The subscription itself wakes once, at any time. So the outcome is sent until there is one more wake-up.
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                former.ask(
                        new StoreRequest.SettleLate(partition, Incarnation.of(0), success(claim)),
                        StoreAnswer.LateSettled.class);
                return owner.wakes.get() >= before + 2;
            });
        }
    }

    @Test
    void followsAPartitionWhoseSlotMoves() {
        Partition partition = Partition.of(queue, 0);
        TestOwner owner = new TestOwner(store, partition, "one");
        owner.acquire();
        Claim claim = claim(owner, 1);
        owner.settleAndClaim(List.of(), List.of(claim));
        LocalRedis from = nodeOf(partition);
        LocalRedis to = cluster.primaries().stream()
                .filter(node -> node.port() != from.port())
                .findFirst()
                .orElseThrow();
        moveSlot(slot(partition), from, to);
        owner.link.send(owner.settleAndClaimRequest(List.of(success(claim)), List.of()));
        owner.expect("down");
        owner.expect("up");
        owner.number--;
        assertThat(owner.settleAndClaim(List.of(success(claim)), List.of()).settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        assertThat(nodeOf(partition).port()).isEqualTo(to.port());
    }

    @Test
    void reconnectsToTheNewPrimaryAfterAFailover() {
        Partition partition = Partition.of(queue, 0);
        TestOwner owner = new TestOwner(store, partition, "one");
        String run = owner.acquire().runId();
        Claim claim = claim(owner, 1);
        owner.settleAndClaim(List.of(), List.of(claim));
        LocalRedis primary = nodeOf(partition);
        primary.kill();
        try {
            owner.expect("down");
            Object event = owner.next(Duration.ofSeconds(60));
            while (!event.equals("up")) {
                event = owner.next(Duration.ofSeconds(60));
            }
            StoreAnswer.Acquired acquired = acquireWhenItAnswers(owner, claim);
            assertThat(acquired.runId()).isNotEqualTo(run);
            assertThat(acquired.presentedTokens()).containsExactly(claim.token());
            assertThat(owner.settleAndClaim(List.of(success(claim)), List.of()).settles())
                    .containsExactly(SettleResult.Ok.PLAIN);
            assertThat(nodeOf(partition).port()).isNotEqualTo(primary.port());
        } finally {
            primary.start();
            cluster.awaitReady();
        }
    }

    /** Acquires, and tries again when a node that is losing its slots fails a request: the link goes down and up. */
    private static StoreAnswer.Acquired acquireWhenItAnswers(TestOwner owner, Claim claim) {
        PresentedClaim presented =
                new PresentedClaim(claim.position(), claim.token(), claim.key(), 1, new SettledMark.Offset(1));
        while (true) {
            owner.link.send(owner.acquireRequest(List.of(presented)));
            Object event = owner.next(Duration.ofSeconds(60));
            while (event instanceof String) {
                event = event.equals("up") ? null : owner.next(Duration.ofSeconds(60));
            }
            if (event instanceof StoreAnswer.Acquired acquired) {
                owner.epoch = acquired.epoch();
                return acquired;
            }
        }
    }

    private void moveSlot(int slot, LocalRedis from, LocalRedis to) {
        RedisCommands<String, String> source =
                client.connect(io.lettuce.core.RedisURI.create(from.address())).sync();
        RedisCommands<String, String> target =
                client.connect(io.lettuce.core.RedisURI.create(to.address())).sync();
        target.clusterSetSlotImporting(slot, source.clusterMyId());
        source.clusterSetSlotMigrating(slot, target.clusterMyId());
        List<String> keys = new ArrayList<>(source.clusterGetKeysInSlot(slot, 100));
        if (!keys.isEmpty()) {
            source.migrate("127.0.0.1", to.port(), 0, 5_000, MigrateArgs.Builder.keys(keys));
        }
        target.clusterSetSlotNode(slot, target.clusterMyId());
        source.clusterSetSlotNode(slot, target.clusterMyId());
        source.getStatefulConnection().close();
        target.getStatefulConnection().close();
    }

    private static LocalRedis nodeOf(Partition partition) {
        return cluster.primaryOf(slot(partition));
    }

    private static int slot(Partition partition) {
        return SlotHash.getSlot(RedisKeys.DEFAULTS.wakeChannel(partition));
    }

    private static Claim claim(TestOwner owner, long offset) {
        return new Claim(Position.of(0, offset), owner.nextToken(), "key", false);
    }

    private static Settle success(Claim claim) {
        return new Settle(
                claim.position(), claim.token(), claim.key(), new SettledMark.Offset(1), new Verdict.Success(null), 0);
    }
}
