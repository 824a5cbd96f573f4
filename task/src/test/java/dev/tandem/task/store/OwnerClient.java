package dev.tandem.task.store;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.ReadLines.LineRead;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import dev.tandem.task.store.StoreAnswer.ClaimResult;
import dev.tandem.task.store.StoreAnswer.ClaimsKept;
import dev.tandem.task.store.StoreAnswer.CustodyTaken;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.HandOverResult;
import dev.tandem.task.store.StoreAnswer.LateSettled;
import dev.tandem.task.store.StoreAnswer.LeasesExpired;
import dev.tandem.task.store.StoreAnswer.LeasesRenewed;
import dev.tandem.task.store.StoreAnswer.LinesRead;
import dev.tandem.task.store.StoreAnswer.SettleResult;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest.AbandonPosition;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.DeclineOffers;
import dev.tandem.task.store.StoreRequest.Declined;
import dev.tandem.task.store.StoreRequest.ExpireLeases;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.KeepClaims;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.RecordCommit;
import dev.tandem.task.store.StoreRequest.Release;
import dev.tandem.task.store.StoreRequest.RenewLeases;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One executor that asks a store about one partition. Numbers its requests and issues tokens as the core does. */
final class OwnerClient {

    /** A lease that never ends in a test, in milliseconds. */
    static final long LONG = 60_000;

    private final Partition partition;
    private final Function<StoreRequest, StoreAnswer> store;
    private final Supplier<Collection<BlockedKey>> blockedKeys;
    private final String executor;
    private final String writer;

    long leaseMillis = LONG;
    long generation = 1;
    String sourceId = "";
    long committed = -1;
    /** Where the log was cut, for the next acquires. */
    long cut = Acquire.NO_CUT;

    /** The last incarnation that the cut applies to. */
    long cutOf = Acquire.ANY_INCARNATION;
    /** Whether the partition is one of a message queue, not of a log. */
    boolean ofQueue;
    /** Whether an acquire continues the ownership before it. */
    boolean continuesOwnership;

    /** The number of the last request. */
    long number;

    long epoch;
    Incarnation incarnation = Incarnation.NO_OFFSETS;
    private long token;

    /** @param blockedKeys looks up all blocked keys of the partition */
    OwnerClient(
            Partition partition,
            String executor,
            Function<StoreRequest, StoreAnswer> store,
            Supplier<Collection<BlockedKey>> blockedKeys) {
        this.partition = partition;
        this.blockedKeys = blockedKeys;
        this.executor = executor;
        this.writer = executor + "-writer";
        this.store = store;
    }

    static byte[] envelope(@Nullable String key, long token) {
        return new Envelope(Task.of("q", key, new byte[] {1}), 1, token, null).encode();
    }

    private StoreAnswer ask(StoreRequest request) {
        return store.apply(request);
    }

    // Acquire

    StoreAnswer tryAcquire(PresentedClaim... presented) {
        RequestHeader header = new RequestHeader(partition, writer, ++number, continuesOwnership ? epoch : 0);
        StoreAnswer answer = ask(new Acquire(
                header, executor, leaseMillis, generation, sourceId, committed, cut, cutOf, Arrays.asList(presented)));
        if (answer instanceof Acquired acquired) {
            epoch = acquired.epoch();
            token = epoch;
            incarnation = ofQueue ? Incarnation.NO_OFFSETS : Incarnation.of(acquired.incarnation());
        }
        return answer;
    }

    Acquired acquire(PresentedClaim... presented) {
        return (Acquired) tryAcquire(presented);
    }

    /** Acquires the partition again and returns all its blocked keys. */
    Collection<BlockedKey> blocked() {
        acquire();
        return blockedKeys.get();
    }

    /** Returns the header of the next request. */
    RequestHeader header() {
        return new RequestHeader(partition, writer, ++number, epoch);
    }

    /** Returns a token that no claim has had. */
    long nextToken() {
        return ++token;
    }

    long lastToken() {
        return token;
    }

    // SettleAndClaim

    SettledAndClaimed settleAndClaim(List<Settle> settles, List<Claim> claims) {
        return (SettledAndClaimed) ask(new SettleAndClaim(header(), leaseMillis, incarnation, 0, settles, claims));
    }

    ClaimResult tryClaim(Position position, @Nullable String key, boolean inStore) {
        return settleAndClaim(List.of(), List.of(new Claim(position, nextToken(), key, inStore)))
                .claims()
                .get(0);
    }

    /** Claims a task in the broker's custody and returns the claim's token. */
    long claim(Position position, @Nullable String key) {
        ClaimResult claimed = tryClaim(position, key, false);
        if (!(claimed instanceof ClaimResult.Ok)) {
            throw new AssertionError("The claim of " + position + " was not granted: " + claimed);
        }
        return token;
    }

    SettleResult settle(Position position, long claimToken, @Nullable String key, SettledMark mark, Verdict verdict) {
        return settle(position, claimToken, key, mark, verdict, 0);
    }

    SettleResult settle(
            Position position,
            long claimToken,
            @Nullable String key,
            SettledMark mark,
            Verdict verdict,
            long nextToken) {
        Settle settle = new Settle(position, claimToken, key, mark, verdict, nextToken);
        return settleAndClaim(List.of(settle), List.of()).settles().get(0);
    }

    SettleResult succeed(Position position, long claimToken, @Nullable String key, SettledMark mark) {
        return settle(position, claimToken, key, mark, new Verdict.Success(null));
    }

    SettleResult retry(Position position, long claimToken, @Nullable String key, SettledMark mark, long delayMillis) {
        return settle(position, claimToken, key, mark, new Verdict.Retry(delayMillis, envelope(key, claimToken)));
    }

    SettleResult die(Position position, long claimToken, @Nullable String key, SettledMark mark, DeadHead deadHead) {
        return settle(position, claimToken, key, mark, new Verdict.Dead(deadHead, envelope(key, claimToken)));
    }

    /** Blocks a key by a head that waits for its next attempt. */
    void blockKey(String key, Position head, long delayMillis) {
        retry(head, claim(head, key), key, SettledMark.NONE, delayMillis);
    }

    // TakeCustody

    List<HandOverResult> takeCustody(HandOver... entries) {
        return takeCustody(100, 1_000, entries);
    }

    List<HandOverResult> takeCustody(int maxParkedPerKey, int maxParkedPerPartition, HandOver... entries) {
        TakeCustody request = new TakeCustody(
                header(), incarnation, 0, maxParkedPerKey, maxParkedPerPartition, Arrays.asList(entries));
        return ((CustodyTaken) ask(request)).results();
    }

    HandOverResult schedule(Position position, @Nullable String key, SettledMark mark, long dueAt) {
        return takeCustody(new HandOver(position, key, mark, new Move.Schedule(dueAt), envelope(key, 0)))
                .get(0);
    }

    static HandOver park(Position position, String key, SettledMark mark) {
        return new HandOver(position, key, mark, new Move.Park(), envelope(key, 0));
    }

    static HandOver parkInTurn(Position position, String key, int most) {
        return new HandOver(position, key, SettledMark.NONE, new Move.Park(most), envelope(key, 0));
    }

    static HandOver parkHeld(Position position, String key) {
        return new HandOver(position, key, SettledMark.NONE, new Move.Park(), null);
    }

    HandOverResult adopt(Position position, @Nullable String key, SettledMark mark) {
        return takeCustody(new HandOver(position, key, mark, new Move.Adopt(), envelope(key, 0)))
                .get(0);
    }

    static HandOver adoptHeld(Position position, @Nullable String key) {
        return new HandOver(position, key, SettledMark.NONE, new Move.Adopt(), null);
    }

    HandOverResult bury(Position position, SettledMark mark) {
        return takeCustody(new HandOver(position, null, mark, new Move.Bury(), envelope(null, 0)))
                .get(0);
    }

    HandOverResult cancel(Position position, @Nullable String key, SettledMark mark) {
        Move.Cancel move = new Move.Cancel(
                new SuccessRecord(null, null, key, 0, 5, 0, SuccessRecord.OPERATOR, null, TaskEnd.CANCELLED));
        return takeCustody(new HandOver(position, key, mark, move, envelope(key, 0)))
                .get(0);
    }

    HandOverResult joinLine(Position position, @Nullable String key, SettledMark mark, int line) {
        return takeCustody(new HandOver(position, key, mark, new Move.JoinLine(line), envelope(key, 0)))
                .get(0);
    }

    // Other requests of an owner

    LinesRead readLines(int findFrom, LineRead... lines) {
        return (LinesRead) ask(new ReadLines(header(), List.of(lines), findFrom));
    }

    DueTasks claimDue(int maxClaims, int maxOffers) {
        return claimDue(maxClaims, maxOffers, true);
    }

    DueTasks claimDue(int maxClaims, int maxOffers, boolean ordered) {
        ClaimDue request = new ClaimDue(header(), leaseMillis, maxClaims, maxOffers, token + 1, ordered);
        DueTasks tasks = (DueTasks) ask(request);
        token += maxClaims;
        return tasks;
    }

    void decline(Position position, String key, long delayMillis) {
        ask(new DeclineOffers(header(), List.of(new Declined(position, key, delayMillis))));
    }

    DueTasks claimDue(int maxClaims, int maxOffers, int maxAhead, @Nullable List<String> busyKeys) {
        ClaimDue request =
                new ClaimDue(header(), leaseMillis, maxClaims, maxOffers, maxAhead, token + 1, true, busyKeys);
        DueTasks tasks = (DueTasks) ask(request);
        token += maxClaims;
        return tasks;
    }

    LeasesRenewed renewLeases(Position position, long claimToken) {
        return (LeasesRenewed) ask(new RenewLeases(header(), leaseMillis, List.of(position), new long[] {claimToken}));
    }

    LeasesRenewed probe() {
        return (LeasesRenewed) ask(new RenewLeases(header(), leaseMillis, List.of(), new long[0]));
    }

    LeasesExpired expireLeases() {
        return expireLeases(0, 100);
    }

    LeasesExpired expireLeases(long extendMillis, int limit) {
        return (LeasesExpired) ask(new ExpireLeases(header(), limit, extendMillis, true));
    }

    void abandon(Position position, @Nullable String key) {
        ask(new AbandonPosition(header(), position, key));
    }

    void recordCommit(long upTo) {
        ask(new RecordCommit(header(), incarnation, upTo));
    }

    void release() {
        ask(new Release(header()));
    }

    // Convenience: a number is an offset, or a page of a message queue

    private SettledMark mark(long number) {
        return ofQueue ? new SettledMark.OnPage(number) : new SettledMark.Offset(number);
    }

    SettleResult settle(Position position, long claimToken, @Nullable String key, long number, Verdict verdict) {
        return settle(position, claimToken, key, mark(number), verdict);
    }

    SettleResult settle(
            Position position, long claimToken, @Nullable String key, long number, Verdict verdict, long nextToken) {
        return settle(position, claimToken, key, mark(number), verdict, nextToken);
    }

    SettleResult succeed(Position position, long claimToken, @Nullable String key, long number) {
        return succeed(position, claimToken, key, mark(number));
    }

    SettleResult retry(Position position, long claimToken, @Nullable String key, long number, long delayMillis) {
        return retry(position, claimToken, key, mark(number), delayMillis);
    }

    SettleResult die(Position position, long claimToken, @Nullable String key, long number, DeadHead deadHead) {
        return die(position, claimToken, key, mark(number), deadHead);
    }

    HandOverResult schedule(Position position, @Nullable String key, long number, long dueAt) {
        return schedule(position, key, mark(number), dueAt);
    }

    static HandOver park(Position position, String key, long offset) {
        return park(position, key, new SettledMark.Offset(offset));
    }

    HandOverResult adopt(Position position, @Nullable String key, long number) {
        return adopt(position, key, mark(number));
    }

    HandOverResult bury(Position position, long number) {
        return bury(position, mark(number));
    }

    boolean settleLate(Position position, long claimToken, @Nullable String key, long number, Verdict verdict) {
        return settleLate(position, claimToken, key, mark(number), verdict);
    }

    // Requests of a former owner

    /** Extends the lease of a claim, and returns the positions that are not claimed under their token any more. */
    List<Position> keepClaims(Position position, long claimToken) {
        KeepClaims request = new KeepClaims(partition, leaseMillis, List.of(position), new long[] {claimToken});
        return ((ClaimsKept) ask(request)).lost();
    }

    /** Returns whether the outcome was recorded. */
    boolean settleLate(Position position, long claimToken, @Nullable String key, SettledMark mark, Verdict verdict) {
        return settleLate(new Settle(position, claimToken, key, mark, verdict, 0));
    }

    /** Returns whether the outcome was recorded. */
    boolean settleLate(Settle settle) {
        return ((LateSettled) ask(new SettleLate(partition, incarnation, settle))).recorded();
    }
}
