package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRedis;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** However much a partition holds, no answer is larger than some megabytes, and an acquire is read in pages. */
@TestInstance(Lifecycle.PER_CLASS)
class BoundedAnswersIT {

    private static final int PAYLOAD = 300_000;
    private static final int TASKS = 12;
    /** More than Redis keeps in a compact form, which a scan returns at once, and more than a page. */
    private static final int MANY = 5_000;

    private SharedRedis redis;
    private RedisStore store;
    private TestOwner owner;

    @BeforeAll
    void start() {
        redis = Brokers.redis();
        store = RedisStore.open(RedisSettings.of(redis.uri()));
    }

    @AfterAll
    void stop() {
        if (store != null) {
            store.close();
        }
    }

    @BeforeEach
    void acquire() {
        owner = new TestOwner(store, new Partition("orders", UniqueNames.fresh("p")), "one");
        owner.acquire();
    }

    @Test
    void dueTasksComeInAnswersOfAboutAMegabyte() {
        List<HandOver> entries = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            entries.add(new HandOver(at(i), "k" + i, bit(i), new Move.Schedule(1), large("k" + i)));
        }
        takeCustody(entries);
        Set<Position> offered = new HashSet<>();
        for (boolean more = true; more; ) {
            StoreAnswer.DueTasks due = owner.ask(
                    new StoreRequest.ClaimDue(owner.header(), TestOwner.LEASE, 64, 1_000, owner.nextToken(), true),
                    StoreAnswer.DueTasks.class);
            assertThat(due.offered()).hasSizeBetween(1, 4);
            due.offered().stream().map(DueTask::position).forEach(offered::add);
            more = due.more();
        }
        assertThat(offered).hasSize(TASKS);
    }

    @Test
    void nextTasksOfLanesThatDoNotFitIntoAnAnswerAreDue() {
        List<StoreRequest.Claim> claims = new ArrayList<>();
        List<HandOver> adopted = new ArrayList<>();
        List<HandOver> parked = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            claims.add(new StoreRequest.Claim(at(i), owner.nextToken(), "k" + i, false));
            adopted.add(new HandOver(at(i), "k" + i, bit(i), new Move.Adopt(), large("k" + i)));
            parked.add(new HandOver(at(100 + i), "k" + i, bit(100 + i), new Move.Park(), large("k" + i)));
        }
        owner.settleAndClaim(List.of(), claims);
        takeCustody(adopted);
        takeCustody(parked);
        List<Settle> settles = new ArrayList<>();
        for (StoreRequest.Claim claim : claims) {
            settles.add(new Settle(
                    claim.position(),
                    claim.token(),
                    claim.key(),
                    SettledMark.NONE,
                    new Verdict.Success(null),
                    owner.nextToken()));
        }
        List<SettleResult> results = owner.settleAndClaim(settles, List.of()).settles();
        assertThat(results).filteredOn(SettleResult.Next.class::isInstance).hasSize(4);
        assertThat(results).filteredOn(SettleResult.Ok.PLAIN::equals).hasSize(TASKS - 4);
        assertThat(owner.renew().nextDueMillis()).isZero();
    }

    @Test
    void anAcquireTellsAllThatMattersInPagesAndOnlyCountsHaltedKeys() {
        String prefix = "tandem:{" + owner.partition + "}:";
        Map<String, String> blocked = new HashMap<>();
        Map<String, String> settled = new HashMap<>();
        Map<String, String> lapsed = new HashMap<>();
        Map<String, String> given = new HashMap<>();
        String identity = "mABCDEFGH%04d:w.1";
        for (int i = 0; i < MANY; i++) {
            blocked.put("halted-" + i, "X1790000000000" + at(i));
            blocked.put("waiting-" + i, "R1790000000000" + at(MANY + i));
            settled.put(String.valueOf(i), "x".repeat(64));
            lapsed.put(at(MANY + i).text(), "2");
            given.put(String.format(identity, i), "Dasker");
            redis.commands().rpush(prefix + "pages", "\0\0\0\1" + "mABCDEFGHIJK".repeat(2));
            redis.commands().zadd(prefix + "owed", System.currentTimeMillis() - MANY + i, "m" + at(i));
        }
        redis.commands().hset(prefix + "blocked", blocked);
        redis.commands().hset(prefix + "settled", settled);
        redis.commands().hset(prefix + "attempts", lapsed);
        redis.commands().hset(prefix + "given", given);

        StoreAnswer.Acquired acquired = owner.acquire();
        assertThat(acquired.blockedKeys()).isEqualTo(2 * MANY);
        assertThat(acquired.blocked())
                .hasSize(MANY)
                .allMatch(key -> key.reason() == BlockReason.REDELIVERY)
                .contains(new BlockedKey("waiting-7", BlockReason.REDELIVERY, at(MANY + 7)));
        assertThat(acquired.chunks())
                .hasSize((MANY + 31) / 32)
                .allMatch(chunk -> chunk.has(chunk.index() * StoreAnswer.SettledChunk.BITS + 1));
        assertThat(acquired.history().lapsed()).hasSize(MANY);
        assertThat(acquired.history().awaitingRedelivery())
                .hasSize(MANY)
                .startsWith(new Position("m" + at(0)))
                .endsWith(new Position("m" + at(MANY - 1)));
        assertThat(acquired.history().pages())
                .hasSize(2)
                .satisfiesExactly(
                        forwarded -> assertThat(forwarded.identities()).hasSize(12 * MANY),
                        page -> assertThat(page.identities()).hasSize(24 * MANY));
        assertThat(owner.renew().blockedKeys()).isEqualTo(2 * MANY);
    }

    @Test
    void answersToWhatWasSentAfterAnAcquireComeAfterIt() {
        Map<String, String> blocked = new HashMap<>();
        for (int i = 0; i < 2 * MANY; i++) {
            blocked.put("waiting-" + i, "R1790000000000" + at(i));
        }
        redis.commands().hset("tandem:{" + owner.partition + "}:blocked", blocked);
        owner.link.send(owner.acquireRequest(List.of()));
        owner.link.send(new StoreRequest.KeepClaims(owner.partition, TestOwner.LEASE, List.of(), new long[0]));
        assertThat(owner.next())
                .isInstanceOfSatisfying(
                        StoreAnswer.Acquired.class,
                        acquired -> assertThat(acquired.blocked()).hasSize(2 * MANY));
        assertThat(owner.next()).isInstanceOf(StoreAnswer.ClaimsKept.class);
    }

    @Test
    void whatIsKnownOfAMessageQueueComesInPagesThatMissNothingWhichMovesMeanwhile() {
        String prefix = "tandem:{" + owner.partition + "}:";
        Map<String, String> lapsed = new HashMap<>();
        List<StoreRequest.Claim> claims = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            lapsed.put(message("l", i).text(), "1");
            lapsed.put(message("s", i).text(), "1");
            claims.add(new StoreRequest.Claim(message("c", i), owner.nextToken(), null, false));
            redis.commands().rpush(prefix + "pages", "\0\0\0\1" + String.format("mABCDEFG%04d", i));
        }
        redis.commands().hset(prefix + "attempts", lapsed);
        settleAndClaim(List.of(), claims);
        RedisLinkQuestions asker = new RedisLinkQuestions(store, owner.partition);

        for (int from = 0; from < MANY; from += 500) {
            asker.ask();
            List<Settle> settles = new ArrayList<>();
            List<StoreRequest.Claim> again = new ArrayList<>();
            List<Settle> settlesAgain = new ArrayList<>();
            for (int i = from; i < from + 500; i++) {
                settles.add(successAwaitingRedelivery(claims.get(i)));
                again.add(new StoreRequest.Claim(message("l", i), owner.nextToken(), null, false));
                StoreRequest.Claim settled = new StoreRequest.Claim(message("s", i), owner.nextToken(), null, false);
                again.add(settled);
                settlesAgain.add(successAwaitingRedelivery(settled));
            }
            settleAndClaim(settles, again);
            settleAndClaim(settlesAgain, List.of());
            StoreAnswer.KnownPositions known = asker.answer();
            Set<Position> positions = new HashSet<>();
            known.claims().forEach(claim -> positions.add(claim.position()));
            known.history().lapsed().forEach(each -> positions.add(each.position()));
            positions.addAll(known.history().awaitingRedelivery());
            assertThat(positions).hasSize(3 * MANY);
            assertThat(known.claims().size()
                            + known.history().lapsed().size()
                            + known.history().awaitingRedelivery().size())
                    .as("each is listed once")
                    .isEqualTo(3 * MANY);
            assertThat(known.history().pages())
                    .hasSize(1)
                    .allSatisfy(page -> assertThat(page.identities())
                            .hasSize(12 * MANY)
                            .startsWith(bytes("mABCDEFG0000"))
                            .endsWith(bytes(String.format("mABCDEFG%04d", MANY - 1))));
        }
    }

    /** Asks over a link of its own, as another partition's owner does. */
    private record RedisLinkQuestions(TestOwner link) {

        RedisLinkQuestions(RedisStore store, Partition partition) {
            this(new TestOwner(store, partition, "asker"));
        }

        void ask() {
            link.link.send(new StoreRequest.ListKnownPositions(link.partition));
        }

        StoreAnswer.KnownPositions answer() {
            return (StoreAnswer.KnownPositions) link.next();
        }
    }

    private void settleAndClaim(List<Settle> settles, List<StoreRequest.Claim> claims) {
        owner.ask(
                new StoreRequest.SettleAndClaim(
                        owner.header(), TestOwner.LEASE, Incarnation.NO_OFFSETS, 0, settles, claims),
                StoreAnswer.SettledAndClaimed.class);
    }

    private static Settle successAwaitingRedelivery(StoreRequest.Claim claim) {
        return new Settle(
                claim.position(), claim.token(), null, SettledMark.AWAITS_REDELIVERY, new Verdict.Success(null), 0);
    }

    private static Position message(String kind, int number) {
        return new Position(String.format("m%s%011d:w.%d", kind, number, number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private void takeCustody(List<HandOver> entries) {
        StoreAnswer.CustodyTaken taken = owner.ask(
                new StoreRequest.TakeCustody(owner.header(), Incarnation.of(0), 0, 10, 100, entries),
                StoreAnswer.CustodyTaken.class);
        assertThat(taken.results()).containsOnly(StoreAnswer.HandOverResult.OK);
    }

    private static Position at(long offset) {
        return Position.of(0, offset);
    }

    private static SettledMark bit(long offset) {
        return new SettledMark.Offset(offset);
    }

    private static byte[] large(String key) {
        return new Envelope(Task.of("orders", key, new byte[PAYLOAD]), 0, 0, null).encode();
    }
}
