package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalProcess;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.MissingBrokerException;
import dev.tandem.local.PortReservations;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The store on a master with a replica. */
@Execution(ExecutionMode.CONCURRENT)
class RedisReplicationIT {

    private static final Partition PARTITION = Partition.of("orders", 0);

    private LocalRedis master;
    private LocalRedis replica;

    @BeforeEach
    void start() {
        master = Brokers.ownRedis();
        replica = startReplica();
    }

    private LocalRedis startReplica() {
        LocalRedis started = Brokers.orSkip(() -> LocalRedis.builder()
                .setting("replicaof", "127.0.0.1 " + master.port())
                .setting("repl-diskless-sync-delay", "0")
                .start());
        await().atMost(Duration.ofSeconds(30))
                .until(() -> ask(started.address(), commands -> commands.info("replication"))
                        .contains("master_link_status:up"));
        // The master counts it a moment later.
        await().atMost(Duration.ofSeconds(30))
                .until(() -> ask(master.address(), commands -> commands.info("replication"))
                        .lines()
                        .anyMatch(line -> line.contains("port=" + started.port()) && line.contains("state=online")));
        return started;
    }

    @AfterEach
    void stop() {
        if (replica != null) {
            replica.close();
        }
        if (master != null) {
            master.close();
        }
    }

    @Test
    void renewalsAreDurableOnlyWhileReplicasConfirm() {
        RedisSettings settings =
                RedisSettings.of(master.address()).withReplicas(1).withHorizon(Duration.ofSeconds(1));
        try (RedisStore store = RedisStore.open(settings)) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            owner.acquire();
            await().until(() -> owner.renew().durable());
            replica.suspend();
            try {
                await().until(() -> !owner.renew().durable());
            } finally {
                replica.resume();
            }
            await().until(() -> owner.renew().durable());
        }
    }

    @Test
    void waitsForTheReplicasThatItSees() {
        RedisSettings settings = RedisSettings.of(master.address()).withHorizon(Duration.ofSeconds(1));
        try (RedisStore store = RedisStore.open(settings)) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            owner.acquire();
            await().until(() -> owner.renew().durable());
            replica.suspend();
            await().until(() -> !owner.renew().durable());
        }
    }

    @Test
    void noticesAReplicaThatComesLater() {
        ask(replica.address(), commands -> commands.replicaofNoOne());
        RedisSettings settings = RedisSettings.of(master.address()).withHorizon(Duration.ofSeconds(1));
        try (RedisStore store = RedisStore.open(settings);
                RedisStore ignorant = RedisStore.open(settings.withReplicas(0))) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            new TestOwner(ignorant, Partition.of("orders", 1), "two");
            ask(replica.address(), commands -> commands.replicaof("127.0.0.1", master.port()));
            owner.expect("down");
            owner.expect("up");
            owner.acquire();
            await().until(() -> owner.renew().durable());
            await().until(() -> ignorant.status().detail().contains("tandem.redis.replicas is 0"));
        }
    }

    @Test
    void tasksThatCountAsDurableAreOnALaggingReplicaThatIsPromoted() {
        RedisSettings settings = RedisSettings.of(master.address()).withHorizon(Duration.ofSeconds(1));
        List<Position> durable = new ArrayList<>();
        try (RedisStore store = RedisStore.open(settings)) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            owner.acquire();
            schedule(owner, Position.of(0, 1));
            awaitHorizon();
            await().until(() -> owner.renew().durable());
            durable.add(Position.of(0, 1));
            replica.suspend();
            // The kernel would keep for the replica what the primary sends to it.
            ask(master.address(), commands -> commands.clientKill(KillArgs.Builder.typeSlave()));
            schedule(owner, Position.of(0, 2));
            awaitHorizon();
            if (owner.renew().durable()) {
                durable.add(Position.of(0, 2));
            }
        }
        master.kill();
        replica.resume();
        ask(replica.address(), commands -> commands.replicaofNoOne());
        List<String> kept = ask(replica.address(), commands -> commands.hkeys("tandem:{orders/0}:tasks"));
        assertThat(kept)
                .contains(Position.of(0, 1).text())
                .doesNotContain(Position.of(0, 2).text());
        assertThat(durable).extracting(Position::text).isSubsetOf(kept);
    }

    @Test
    void isDownWhileItIsCutOffFromItsReplicas() {
        RedisSettings settings = RedisSettings.of(master.address()).withAnswerTimeout(Duration.ofSeconds(1));
        try (RedisStore store = RedisStore.open(settings)) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            // It is down after half a lease. The rest is for a busy machine.
            owner.lease = 20_000;
            owner.acquire();
            await().until(() -> owner.renew().durable());
            replica.suspend();
            long since = System.nanoTime();
            await().pollInterval(Duration.ofMillis(200)).until(() -> {
                owner.link.send(owner.renewRequest());
                return owner.events.contains("down");
            });
            assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofMillis(owner.lease));
            await().until(() -> store.status().detail().contains("only 0 of 1 replicas"));
            assertThat(store.status().connected()).isFalse();
            owner.events.clear();
            replica.resume();
            owner.expect("up");
        }
    }

    @Test
    void anIdleSessionStartsNothingAtAPrimaryThatWasReplaced() {
        RedisSettings settings = RedisSettings.of(master.address()).withHorizon(Duration.ofSeconds(1));
        try (RedisStore store = RedisStore.open(settings);
                RedisStore other = RedisStore.open(
                        RedisSettings.of(replica.address()).withReplicas(0).withDurable(false))) {
            TestOwner idle = new TestOwner(store, PARTITION, "one");
            idle.lease = 4_000;
            idle.acquire();
            schedule(idle, Position.of(0, 1), 0);
            idle.ask(new StoreRequest.Release(idle.header()), StoreAnswer.Ok.class);
            awaitOnReplica(Position.of(0, 1));

            ask(replica.address(), commands -> commands.replicaofNoOne());
            TestOwner owner = new TestOwner(other, PARTITION, "two");
            owner.lease = 500;
            long quiet = owner.acquire().quietMillis();
            await().until(() -> claimDue(owner) == 1);
            assertThat(quiet).isPositive();

            awaitShareOfLease(idle);
            idle.acquire();
            idle.link.send(claimDueRequest(idle));
            idle.expect("down");
            await().until(() -> store.status().detail().contains("only 0 of 1 replicas"));
        }
    }

    @Test
    void aClaimIsAnsweredOnceReplicasHaveBeenAsked() {
        try (RedisStore store = RedisStore.open(RedisSettings.of(master.address()))) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            owner.lease = 20_000;
            owner.acquire();
            schedule(owner, Position.of(0, 1), 0);
            awaitShareOfLease(owner);
            replica.suspend();
            owner.link.send(claimDueRequest(owner));
            owner.link.send(owner.renewRequest());
            await().until(() -> ask(master.address(), commands -> commands.hlen("tandem:{orders/0}:claims")) == 2);
            assertThat(owner.events).isEmpty();
            replica.resume();
            assertThat(owner.next()).isInstanceOf(StoreAnswer.DueTasks.class);
            assertThat(owner.next()).isInstanceOf(StoreAnswer.LeasesRenewed.class);
        }
    }

    @Test
    void aBusySessionDoesNotWaitForReplicas() {
        try (RedisStore store = RedisStore.open(RedisSettings.of(master.address()))) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            owner.lease = 40_000;
            owner.acquire();
            replica.suspend();
            assertThat(claimDue(owner)).isZero();
            assertThat(owner.settleAndClaim(List.of(), List.of()).settles()).isEmpty();
        }
    }

    @Test
    void oneOfTwoReplicasIsEnoughToStartTasks() {
        try (LocalRedis second = startReplica();
                RedisStore store = RedisStore.open(RedisSettings.of(master.address()))) {
            TestOwner owner = new TestOwner(store, PARTITION, "one");
            owner.lease = 4_000;
            owner.acquire();
            second.suspend();
            awaitShareOfLease(owner);
            assertThat(claimDue(owner)).isZero();
            second.resume();
        }
    }

    @Test
    void saysThatAReplicaIsMissing() {
        try (RedisStore store = RedisStore.open(RedisSettings.of(master.address()))) {
            LocalRedis second = startReplica();
            try {
                TestOwner owner = new TestOwner(store, PARTITION, "one");
                owner.acquire();
                assertThat(store.status().detail()).doesNotContain("not connected");
            } finally {
                second.close();
            }
            await().untilAsserted(() -> assertThat(store.status().detail())
                    .contains("1 of the 2 replicas that must confirm are not connected"));
            assertThat(store.status().connected()).as("tasks run").isTrue();
            try (LocalRedis another = startReplica()) {
                assertThat(another.isRunning()).isTrue();
                await().untilAsserted(() -> assertThat(store.status().detail()).doesNotContain("not connected"));
            }
        }
    }

    /** Waits until what the replicas said last is too old to start tasks. */
    private static void awaitShareOfLease(TestOwner owner) {
        long since = System.nanoTime();
        await().until(() -> System.nanoTime() - since > owner.lease * 1_000_000 / 8);
    }

    private void awaitOnReplica(Position position) {
        await().until(() ->
                ask(replica.address(), commands -> commands.hexists("tandem:{orders/0}:tasks", position.text())));
    }

    private static int claimDue(TestOwner owner) {
        return owner.ask(claimDueRequest(owner), StoreAnswer.DueTasks.class)
                .claimed()
                .size();
    }

    private static StoreRequest.ClaimDue claimDueRequest(TestOwner owner) {
        return new StoreRequest.ClaimDue(owner.header(), owner.lease, 1, 10, owner.nextToken(), true);
    }

    /** Waits until a probe may prove what was answered before. */
    private static void awaitHorizon() {
        long since = System.nanoTime();
        await().until(() -> System.nanoTime() - since > Duration.ofSeconds(1).toNanos());
    }

    private static void schedule(TestOwner owner, Position position) {
        schedule(owner, position, 30_000);
    }

    private static void schedule(TestOwner owner, Position position, long delayMillis) {
        byte[] envelope = new Envelope(Task.of("orders", null, new byte[] {1}), 0, 0, null).encode();
        StoreRequest.Move.Schedule later = new StoreRequest.Move.Schedule(System.currentTimeMillis() + delayMillis);
        owner.ask(
                new StoreRequest.TakeCustody(
                        owner.header(),
                        Incarnation.of(0),
                        100,
                        10,
                        10,
                        List.of(new StoreRequest.HandOver(position, null, SettledMark.NONE, later, envelope))),
                StoreAnswer.CustodyTaken.class);
    }

    @Test
    void refusesAReplica() {
        try (RedisStore store = RedisStore.open(RedisSettings.of(replica.address()))) {
            store.link(PARTITION, new RecordedEvents());
            await().until(() -> store.status().detail().contains("it is a replica"));
        }
    }

    @Test
    void followsTheMasterThatSentinelsElect(@TempDir Path folder) throws IOException {
        int port = PortReservations.reserve();
        try (LocalProcess sentinel = sentinel(folder, port)) {
            String uri = "redis-sentinel://127.0.0.1:" + port + "/#mymaster";
            try (RedisStore store = RedisStore.open(RedisSettings.of(uri).withAnswerTimeout(Duration.ofSeconds(2)))) {
                TestOwner owner = new TestOwner(store, PARTITION, "one");
                String run = owner.acquire().runId();
                Claim claim = new Claim(Position.of(0, 1), owner.nextToken(), null, false);
                owner.settleAndClaim(List.of(), List.of(claim));
                await().until(() -> ask(replica.address(), commands -> commands.hlen("tandem:{orders/0}:claims")) == 2);
                await().until(() -> ask("redis://127.0.0.1:" + port, commands -> commands.info("sentinel"))
                        .contains("slaves=1"));
                master.kill();
                owner.expect("down");
                Object event = owner.next(Duration.ofSeconds(60));
                assertThat(event).isEqualTo("up");
                StoreAnswer.Acquired acquired = owner.acquire(
                        new PresentedClaim(claim.position(), claim.token(), null, 1, new SettledMark.Offset(1)));
                assertThat(acquired.runId()).isNotEqualTo(run);
                Settle settle = new Settle(
                        claim.position(), claim.token(), null, new SettledMark.Offset(1), new Verdict.Success(null), 0);
                assertThat(owner.settleAndClaim(List.of(settle), List.of()).settles())
                        .containsExactly(SettleResult.Ok.PLAIN);
            }
        }
    }

    private LocalProcess sentinel(Path folder, int port) throws IOException {
        Path program = Brokers.orSkip(() -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(path -> Path.of(path, "redis-server"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new MissingBrokerException("no redis-server on the PATH to be a sentinel")));
        Path file = folder.resolve("sentinel.conf");
        Files.writeString(file, """
                port %d
                bind 127.0.0.1
                dir "%s"
                sentinel monitor mymaster 127.0.0.1 %d 1
                sentinel down-after-milliseconds mymaster 1000
                sentinel failover-timeout mymaster 3000
                """.formatted(port, folder, master.port()));
        LocalProcess process = LocalProcess.program(
                        "sentinel-" + port, List.of(program.toString(), file.toString(), "--sentinel"))
                .directory(folder)
                .build();
        process.startAndAwait(Duration.ofSeconds(20), () -> {
            try {
                return ask("redis://127.0.0.1:" + port, commands -> commands.ping())
                        .equals("PONG");
            } catch (RuntimeException e) {
                return false;
            }
        });
        return process;
    }

    private static <T> T ask(
            String address, Function<io.lettuce.core.api.sync.RedisCommands<String, String>, T> question) {
        RedisClient client = RedisClient.create(RedisURI.create(address));
        try {
            return question.apply(client.connect().sync());
        } finally {
            client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        }
    }
}
