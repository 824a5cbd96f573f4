package dev.tandem.task.store;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.CustodyTaken;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LeasesExpired;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One executor's line to one partition, which numbers requests and issues tokens as the core does. */
final class Owner {

    /** So long that it never ends in a test. */
    static final long LONG = 60_000;

    private final Partition partition;
    private final Function<StoreRequest, StoreAnswer> store;
    private final String executor;
    private final String writer;
    long leaseMillis = LONG;
    long generation = 1;
    String sourceId = "";
    long committed = -1;
    /** Its partition is one of a queue. */
    boolean queue;
    /** Whether an acquire continues the ownership before. */
    boolean continues;

    long number;
    long epoch;
    long incarnation;
    private long token;

    Owner(Partition partition, String executor, Function<StoreRequest, StoreAnswer> store) {
        this.partition = partition;
        this.executor = executor;
        this.writer = executor + "-writer";
        this.store = store;
    }

    static byte[] envelope(@Nullable String key, long token) {
        return new Envelope(Task.of("q", key, new byte[] {1}), 1, token, null).encode();
    }

    // Acquire

    StoreAnswer ask(StoreRequest request) {
        return store.apply(request);
    }

    StoreAnswer tryAcquire(PresentedClaim... presented) {
        RequestHeader header = new RequestHeader(partition, writer, ++number, continues ? epoch : 0);
        StoreAnswer answer = ask(
                new Acquire(header, executor, leaseMillis, generation, sourceId, committed, Arrays.asList(presented)));
        if (answer instanceof Acquired acquired) {
            epoch = acquired.epoch();
            token = epoch;
            incarnation = queue ? StoreRequest.NO_INCARNATION : acquired.incarnation();
        }
        return answer;
    }

    Acquired acquire(PresentedClaim... presented) {
        return (Acquired) tryAcquire(presented);
    }

    List<BlockedKey> blocked() {
        return acquire().blocked();
    }

    RequestHeader header() {
        return new RequestHeader(partition, writer, ++number, epoch);
    }

    /** A token that no claim has yet. */
    long nextToken() {
        return ++token;
    }

    long lastToken() {
        return token;
    }

    // Step

    SettledAndClaimed step(List<Settle> settles, List<Claim> claims) {
        return (SettledAndClaimed) ask(new SettleAndClaim(header(), leaseMillis, incarnation, 0, settles, claims));
    }

    StoreAnswer.ClaimResult claimed(Position position, @Nullable String key, boolean inStore) {
        return step(List.of(), List.of(new Claim(position, nextToken(), key, inStore)))
                .claims()
                .get(0);
    }

    /** Claims a task in the broker's custody. @return its token */
    long claim(Position position, @Nullable String key) {
        StoreAnswer.ClaimResult claimed = claimed(position, key, false);
        if (!(claimed instanceof StoreAnswer.ClaimResult.Ok)) {
            throw new AssertionError(position + " can't be claimed: " + claimed);
        }
        return token;
    }

    SettleResult settle(Position position, long claimToken, @Nullable String key, long bit, Verdict verdict) {
        return settle(position, claimToken, key, bit, verdict, 0);
    }

    SettleResult settle(
            Position position, long claimToken, @Nullable String key, long bit, Verdict verdict, long nextToken) {
        Settle settle = new Settle(position, claimToken, key, bit, verdict, nextToken);
        return step(List.of(settle), List.of()).settles().get(0);
    }

    SettleResult succeed(Position position, long claimToken, @Nullable String key, long bit) {
        return settle(position, claimToken, key, bit, new Verdict.Success(null));
    }

    SettleResult retry(Position position, long claimToken, @Nullable String key, long bit, long delayMillis) {
        return settle(position, claimToken, key, bit, new Verdict.Retry(delayMillis, envelope(key, claimToken)));
    }

    SettleResult die(Position position, long claimToken, @Nullable String key, long bit, DeadHead deadHead) {
        return settle(position, claimToken, key, bit, new Verdict.Dead(deadHead, envelope(key, claimToken)));
    }

    /** Makes a key blocked by a head that waits for its next attempt. */
    void block(String key, Position head, long delayMillis) {
        retry(head, claim(head, key), key, -1, delayMillis);
    }

    // Hand

    List<HandOverResult> hand(HandOver... entries) {
        return hand(100, 1_000, entries);
    }

    List<HandOverResult> hand(int maxParkedPerKey, int maxParkedPerPartition, HandOver... entries) {
        TakeCustody hand = new TakeCustody(
                header(), incarnation, 0, maxParkedPerKey, maxParkedPerPartition, Arrays.asList(entries));
        return ((CustodyTaken) ask(hand)).codes();
    }

    HandOverResult schedule(Position position, @Nullable String key, long bit, long dueAt) {
        return hand(new HandOver(position, key, bit, new Move.Schedule(dueAt), envelope(key, 0)))
                .get(0);
    }

    static HandOver park(Position position, String key, long bit) {
        return new HandOver(position, key, bit, new Move.Park(), envelope(key, 0));
    }

    static HandOver parkHeld(Position position, String key) {
        return new HandOver(position, key, -1, new Move.Park(), null);
    }

    HandOverResult adopt(Position position, @Nullable String key, long bit) {
        return hand(new HandOver(position, key, bit, new Move.Adopt(), envelope(key, 0)))
                .get(0);
    }

    HandOverResult bury(Position position, long bit) {
        return hand(new HandOver(position, null, bit, new Move.Bury(), envelope(null, 0)))
                .get(0);
    }

    // The rest

    DueTasks due(int maxClaims, int maxOffers) {
        return due(maxClaims, maxOffers, true);
    }

    DueTasks due(int maxClaims, int maxOffers, boolean ordered) {
        StoreRequest.ClaimDue due =
                new StoreRequest.ClaimDue(header(), leaseMillis, maxClaims, maxOffers, token + 1, ordered);
        DueTasks tasks = (DueTasks) ask(due);
        token += maxClaims;
        return tasks;
    }

    LeasesRenewed renew(Position position, long claimToken) {
        return (LeasesRenewed)
                ask(new StoreRequest.RenewLeases(header(), leaseMillis, List.of(position), new long[] {claimToken}));
    }

    LeasesRenewed probe() {
        return (LeasesRenewed) ask(new StoreRequest.RenewLeases(header(), leaseMillis, List.of(), new long[0]));
    }

    LeasesExpired patrol() {
        return patrol(0, 100);
    }

    LeasesExpired patrol(long extendMillis, int limit) {
        return (LeasesExpired) ask(new StoreRequest.ExpireLeases(header(), limit, extendMillis, true));
    }

    void gone(Position position, @Nullable String key) {
        ask(new StoreRequest.AbandonPosition(header(), position, key));
    }

    void committed(long upTo) {
        ask(new StoreRequest.RecordCommit(header(), incarnation, upTo));
    }

    void release() {
        ask(new StoreRequest.Release(header()));
    }

    /** As a former owner. */
    List<Position> keep(Position position, long claimToken) {
        return ((StoreAnswer.ClaimsKept) ask(new StoreRequest.KeepClaims(
                        partition, leaseMillis, List.of(position), new long[] {claimToken})))
                .lost();
    }

    /** As a former owner. */
    boolean late(Position position, long claimToken, @Nullable String key, long bit, Verdict verdict) {
        return late(new Settle(position, claimToken, key, bit, verdict, 0));
    }

    boolean late(Settle settle) {
        return ((StoreAnswer.LateSettled) ask(new StoreRequest.SettleLate(partition, incarnation, settle))).recorded();
    }
}
