package dev.tandem.task.store;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.Blocked;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.HandCode;
import dev.tandem.task.store.StoreAnswer.Handed;
import dev.tandem.task.store.StoreAnswer.Patrolled;
import dev.tandem.task.store.StoreAnswer.Renewed;
import dev.tandem.task.store.StoreAnswer.Settled;
import dev.tandem.task.store.StoreAnswer.Stepped;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Entry;
import dev.tandem.task.store.StoreRequest.Hand;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Presented;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Step;
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

    StoreAnswer tryAcquire(Presented... presented) {
        Line line = new Line(partition, writer, ++number, continues ? epoch : 0);
        StoreAnswer answer = ask(
                new Acquire(line, executor, leaseMillis, generation, sourceId, committed, Arrays.asList(presented)));
        if (answer instanceof Acquired acquired) {
            epoch = acquired.epoch();
            token = epoch;
            incarnation = queue ? StoreRequest.QUEUE : acquired.incarnation();
        }
        return answer;
    }

    Acquired acquire(Presented... presented) {
        return (Acquired) tryAcquire(presented);
    }

    List<Blocked> blocked() {
        return acquire().blocked();
    }

    Line line() {
        return new Line(partition, writer, ++number, epoch);
    }

    /** A token that no claim has yet. */
    long nextToken() {
        return ++token;
    }

    long lastToken() {
        return token;
    }

    // Step

    Stepped step(List<Settle> settles, List<Claim> claims) {
        return (Stepped) ask(new Step(line(), leaseMillis, incarnation, 0, settles, claims));
    }

    StoreAnswer.Claimed claimed(Position position, @Nullable String key, boolean held) {
        return step(List.of(), List.of(new Claim(position, nextToken(), key, held)))
                .claims()
                .get(0);
    }

    /** Claims a task in the broker's custody. @return its token */
    long claim(Position position, @Nullable String key) {
        StoreAnswer.Claimed claimed = claimed(position, key, false);
        if (!(claimed instanceof StoreAnswer.Claimed.Ok)) {
            throw new AssertionError(position + " can't be claimed: " + claimed);
        }
        return token;
    }

    Settled settle(Position position, long claimToken, @Nullable String key, long bit, Verdict verdict) {
        return settle(position, claimToken, key, bit, verdict, 0);
    }

    Settled settle(
            Position position, long claimToken, @Nullable String key, long bit, Verdict verdict, long nextToken) {
        Settle settle = new Settle(position, claimToken, key, bit, verdict, nextToken);
        return step(List.of(settle), List.of()).settles().get(0);
    }

    Settled succeed(Position position, long claimToken, @Nullable String key, long bit) {
        return settle(position, claimToken, key, bit, new Verdict.Success(null));
    }

    Settled retry(Position position, long claimToken, @Nullable String key, long bit, long delayMillis) {
        return settle(position, claimToken, key, bit, new Verdict.Retry(delayMillis, envelope(key, claimToken)));
    }

    Settled die(Position position, long claimToken, @Nullable String key, long bit, DeadHead deadHead) {
        return settle(position, claimToken, key, bit, new Verdict.Dead(deadHead, envelope(key, claimToken)));
    }

    /** Makes a key blocked by a head that waits for its next attempt. */
    void block(String key, Position head, long delayMillis) {
        retry(head, claim(head, key), key, -1, delayMillis);
    }

    // Hand

    List<HandCode> hand(Entry... entries) {
        return hand(100, 1_000, entries);
    }

    List<HandCode> hand(int maxParkedPerKey, int maxParkedPerPartition, Entry... entries) {
        Hand hand = new Hand(line(), incarnation, 0, maxParkedPerKey, maxParkedPerPartition, Arrays.asList(entries));
        return ((Handed) ask(hand)).codes();
    }

    HandCode schedule(Position position, @Nullable String key, long bit, long dueAt) {
        return hand(new Entry(position, key, bit, new Move.Schedule(dueAt), envelope(key, 0)))
                .get(0);
    }

    static Entry park(Position position, String key, long bit) {
        return new Entry(position, key, bit, new Move.Park(), envelope(key, 0));
    }

    static Entry parkHeld(Position position, String key) {
        return new Entry(position, key, -1, new Move.Park(), null);
    }

    HandCode adopt(Position position, @Nullable String key, long bit) {
        return hand(new Entry(position, key, bit, new Move.Adopt(), envelope(key, 0)))
                .get(0);
    }

    HandCode bury(Position position, long bit) {
        return hand(new Entry(position, null, bit, new Move.Bury(), envelope(null, 0)))
                .get(0);
    }

    // The rest

    DueTasks due(int maxClaims, int maxOffers) {
        return due(maxClaims, maxOffers, true);
    }

    DueTasks due(int maxClaims, int maxOffers, boolean ordered) {
        StoreRequest.Due due = new StoreRequest.Due(line(), leaseMillis, maxClaims, maxOffers, token + 1, ordered);
        DueTasks tasks = (DueTasks) ask(due);
        token += maxClaims;
        return tasks;
    }

    Renewed renew(Position position, long claimToken) {
        return (Renewed) ask(new StoreRequest.Renew(line(), leaseMillis, List.of(position), new long[] {claimToken}));
    }

    Renewed probe() {
        return (Renewed) ask(new StoreRequest.Renew(line(), leaseMillis, List.of(), new long[0]));
    }

    Patrolled patrol() {
        return patrol(0, 100);
    }

    Patrolled patrol(long extendMillis, int limit) {
        return (Patrolled) ask(new StoreRequest.Patrol(line(), limit, extendMillis, true));
    }

    void gone(Position position, @Nullable String key) {
        ask(new StoreRequest.Gone(line(), position, key));
    }

    void committed(long upTo) {
        ask(new StoreRequest.Committed(line(), incarnation, upTo));
    }

    void release() {
        ask(new StoreRequest.Release(line()));
    }

    /** As a former owner. */
    List<Position> keep(Position position, long claimToken) {
        return ((StoreAnswer.Kept)
                        ask(new StoreRequest.Keep(partition, leaseMillis, List.of(position), new long[] {claimToken})))
                .lost();
    }

    /** As a former owner. */
    boolean late(Position position, long claimToken, @Nullable String key, long bit, Verdict verdict) {
        return late(new Settle(position, claimToken, key, bit, verdict, 0));
    }

    boolean late(Settle settle) {
        return ((StoreAnswer.LateSettled) ask(new StoreRequest.Late(partition, incarnation, settle))).recorded();
    }
}
