package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.OtherClaim;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Claims as programs wrote them before claims were covered: with the executor's name, and a deadline each. And a program
 * of that time that owns the partition in between.
 */
class EarlierClaimsIT extends OperatorTestBase {

    private static final Position TASK = Position.of(0, 7);
    private static final long TOKEN = 5;
    private static final SettledMark.Offset BIT = new SettledMark.Offset(7);

    private StatefulRedisConnection<byte[], byte[]> redis;

    @BeforeEach
    void connect() {
        RedisClient client = Brokers.redis().client();
        redis = client.connect(ByteArrayCodec.INSTANCE);
    }

    @AfterEach
    void disconnect() {
        redis.close();
    }

    @Test
    void endWithTheirOutcome() {
        write("executor-one", TestOwner.LEASE);
        assertThat(owner.settleAndClaim(List.of(success()), List.of()).settles())
                .containsExactly(SettleResult.Ok.PLAIN);
        assertThat(leases()).isZero();
        assertThat(page(TaskState.ACTIVE, null, 10).items()).isEmpty();
    }

    @Test
    void areRenewedByTheirOwner() {
        write("executor-one", 300);
        StoreAnswer.LeasesRenewed renewed = owner.ask(
                new StoreRequest.RenewLeases(owner.header(), TestOwner.LEASE, List.of(TASK), new long[] {TOKEN}),
                StoreAnswer.LeasesRenewed.class);
        assertThat(renewed.lost()).isEmpty();
        assertThat(renewed.nextLapseMillis()).isGreaterThan(TestOwner.LEASE / 2);
    }

    @Test
    void lapseAtTheirDeadline() {
        write("executor-one", 300);
        TestOwner next = nextOwner();
        assertThat(next.acquire().otherClaims()).extracting(OtherClaim::token).containsExactly(TOKEN);
        await().until(() -> patrol(next).returned() == 1);
        assertThat(leases()).isZero();
    }

    @Test
    void areSettledByTheirFormerOwner() {
        write("executor-one", TestOwner.LEASE);
        TestOwner next = nextOwner();
        next.acquire();
        assertThat(owner.ask(
                                new StoreRequest.SettleLate(partition, Incarnation.of(0), success()),
                                StoreAnswer.LateSettled.class)
                        .recorded())
                .isTrue();
        assertThat(leases()).isZero();
    }

    @Test
    void areCoveredWhenTheirExecutorPresentsThem() {
        write("executor-one", TestOwner.LEASE);
        owner.acquire(new StoreRequest.PresentedClaim(TASK, TOKEN, "k", 0, BIT));
        assertThat(leases()).isZero();
        assertThat(owner.settleAndClaim(List.of(success()), List.of()).settles())
                .containsExactly(SettleResult.Ok.PLAIN);
    }

    @Test
    void showTheirExecutorAsCoveredOnesDo() {
        write("executor-zero", TestOwner.LEASE);
        claim(8, "other");
        List<TaskView> active = page(TaskState.ACTIVE, null, 10).items();
        assertThat(active)
                .extracting(task -> task.claim().executor())
                .containsExactlyInAnyOrder("executor-zero", "executor-one");
        long now = System.currentTimeMillis();
        assertThat(active)
                .extracting(task -> task.claim().leaseUntil())
                .allSatisfy(until -> assertThat(until).isBetween(now, now + 2 * TestOwner.LEASE));
        assertThat(get(store.inspector().task(partition, Position.of(0, 8)))
                        .orElseThrow()
                        .claim()
                        .executor())
                .isEqualTo("executor-one");
    }

    /** The earlier program does not know covered claims: they wait for the next owner that does. */
    @Test
    void coveredClaimsOutliveAnOwnerOfAnEarlierVersion() {
        long token = claim(8, "k");
        byte[] ownership = key("owner");
        redis.sync().hset(ownership, bytes("executor"), bytes("executor-old"));
        redis.sync().hincrby(ownership, bytes("epoch"), 1);

        StoreRequest.KeepClaims keep =
                new StoreRequest.KeepClaims(partition, TestOwner.LEASE, List.of(Position.of(0, 8)), new long[] {token});
        assertThat(owner.ask(keep, StoreAnswer.ClaimsKept.class).lost()).isEmpty();
        TestOwner next = nextOwner();
        assertThat(next.acquire().otherClaims()).extracting(OtherClaim::token).containsExactly(token);
        assertThat(page(TaskState.ACTIVE, null, 10).items())
                .extracting(task -> task.claim().executor())
                .containsExactly("executor-one");
    }

    /** Their executor may run them, and nobody knows until when it renewed them. */
    @Test
    void coveredClaimsLapseALeaseAfterTheNextAcquireIfTheOwnerWasRemovedByHand() {
        claim(8, "k");
        redis.sync().del(key("owner"));
        TestOwner next = new TestOwner(store, partition, "executor-two");
        next.lease = 600_000;
        assertThat(next.acquire().otherClaims())
                .singleElement()
                .satisfies(other -> assertThat(other.remainingMillis()).isEqualTo(next.lease));

        assertThat(patrol(next).returned()).isZero();
        assertThat(redis.sync().zscore(key("inflight"), bytes("0:8")))
                .isGreaterThan(System.currentTimeMillis() + next.lease / 2);

        redis.sync().zadd(key("inflight"), 1, bytes("0:8"));
        assertThat(patrol(next).returned()).isEqualTo(1);
    }

    /** Its owner renews all that it runs, as long as it reaches Redis. */
    @Test
    void coveredClaimsOfTheOwnerDoNotLapseIfOnlyTheirDeadlineWasRemovedByHand() {
        claim(8, "k");
        redis.sync().hdel(key("owner"), bytes("cover"), bytes("covered"));
        assertThat(patrol(owner).returned()).isZero();

        TestOwner next = nextOwner();
        assertThat(next.acquire().otherClaims()).hasSize(1);
        assertThat(patrol(next).returned()).isZero();
    }

    private TestOwner nextOwner() {
        redis.sync().hset(key("owner"), bytes("released"), bytes("1"));
        return new TestOwner(store, partition, "executor-two");
    }

    private static StoreAnswer.LeasesExpired patrol(TestOwner of) {
        return of.ask(new StoreRequest.ExpireLeases(of.header(), 10, 0, true), StoreAnswer.LeasesExpired.class);
    }

    private static Settle success() {
        return new Settle(TASK, TOKEN, "k", BIT, new Verdict.Success(null), 0);
    }

    private void write(String executor, long leaseMillis) {
        byte[] name = bytes(executor);
        ByteBuffer claim = ByteBuffer.allocate(19 + name.length)
                .put((byte) 1)
                .putShort((short) 0)
                .putInt(0)
                .putLong(TOKEN)
                .put((byte) name.length)
                .put(name)
                .put((byte) 1)
                .put((byte) 'k');
        redis.sync().hset(key("claims"), bytes(TASK.text()), claim.array());
        redis.sync().zadd(key("inflight"), System.currentTimeMillis() + leaseMillis, bytes(TASK.text()));
    }

    /** Returns the number of claims that have a lease of their own. */
    private long leases() {
        return redis.sync().zcard(key("inflight")) - 1;
    }

    private byte[] key(String part) {
        return bytes("tandem:{" + partition + "}:" + part);
    }
}
