package dev.tandem.scheduler;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.RunRequest;
import dev.tandem.task.store.RunRequest.RunNotes;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Redelivery;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends an owner's requests to {@link FixedTimeScripts}. Its names, numbers and tokens are the same in every run. */
final class FixedOwner {

    static final long LEASE = 10_000;

    private final FixedTimeScripts scripts;
    private final Partition partition;
    private final String executor;
    private final Incarnation incarnation;
    private final Map<Position, Long> tokens = new HashMap<>();
    private long number;
    private long epoch;
    private long token;

    FixedOwner(FixedTimeScripts scripts, Partition partition, String executor, Incarnation incarnation) {
        this.scripts = scripts;
        this.partition = partition;
        this.executor = executor;
        this.incarnation = incarnation;
    }

    void acquire(long generation, String source, long committed, PresentedClaim... presented) {
        StoreAnswer.Acquired acquired = ask(
                new StoreRequest.Acquire(header(), executor, LEASE, generation, source, committed, List.of(presented)),
                StoreAnswer.Acquired.class);
        epoch = acquired.epoch();
        token = epoch;
    }

    void claim(Claim... claims) {
        settleAndClaim(List.of(), List.of(claims));
    }

    void settle(Settle... settles) {
        settleAndClaim(List.of(settles), List.of());
    }

    private void settleAndClaim(List<Settle> settles, List<Claim> claims) {
        long highWater = incarnation == Incarnation.NO_OFFSETS ? 0 : 50_800;
        ask(
                new StoreRequest.SettleAndClaim(header(), LEASE, incarnation, highWater, settles, claims),
                StoreAnswer.SettledAndClaimed.class);
    }

    /** Notes what the run of a position that was claimed says. */
    void note(Position position, String checkpoint, String progress, String... lines) {
        long token = tokens.get(position);
        ask(
                new RunRequest.SaveCheckpoint(partition, position, token, checkpoint.getBytes(StandardCharsets.UTF_8)),
                StoreAnswer.Checkpoint.class);
        RunNotes notes = new RunNotes(position, token, progress, List.of(lines));
        ask(new RunRequest.KeepProgress(partition, 20, List.of(notes)), StoreAnswer.ProgressKept.class);
    }

    void handOver(HandOver... entries) {
        ask(
                new StoreRequest.TakeCustody(header(), incarnation, 0, 100, 100, List.of(entries)),
                StoreAnswer.CustodyTaken.class);
    }

    void claimDue() {
        StoreAnswer.DueTasks due =
                ask(new StoreRequest.ClaimDue(header(), LEASE, 10, 10, token + 1, true), StoreAnswer.DueTasks.class);
        due.claimed().forEach(task -> tokens.put(task.position(), task.token()));
        token += due.claimed().size();
    }

    void renew(Position... positions) {
        ask(
                new StoreRequest.RenewLeases(header(), LEASE, List.of(positions), tokens(positions)),
                StoreAnswer.LeasesRenewed.class);
    }

    void expireLeases() {
        ask(new StoreRequest.ExpireLeases(header(), 100, 0, true), StoreAnswer.LeasesExpired.class);
    }

    void recordCommit(long committed) {
        ask(new StoreRequest.RecordCommit(header(), incarnation, committed), StoreAnswer.Ok.class);
    }

    void abandon(Position position, @Nullable String key) {
        ask(new StoreRequest.AbandonPosition(header(), position, key), StoreAnswer.Ok.class);
    }

    void release() {
        ask(new StoreRequest.Release(header()), StoreAnswer.Ok.class);
    }

    void settleLate(Settle settle) {
        ask(new StoreRequest.SettleLate(partition, incarnation, settle), StoreAnswer.class);
    }

    void keepClaims(Position... positions) {
        ask(new StoreRequest.KeepClaims(partition, LEASE, List.of(positions), tokens(positions)), StoreAnswer.class);
    }

    void forward(String asker, Position... positions) {
        List<Redelivery> messages = List.of(positions).stream()
                .map(position -> new Redelivery(position, envelope(position, null)))
                .toList();
        ask(new StoreRequest.ForwardRedeliveries(partition, asker, 2_000, messages), StoreAnswer.class);
    }

    Claim newClaim(Position position, @Nullable String key) {
        return newClaim(position, key, false);
    }

    Claim newClaim(Position position, @Nullable String key, boolean inStore) {
        tokens.put(position, ++token);
        return new Claim(position, token, key, inStore);
    }

    PresentedClaim presented(Position position, @Nullable String key) {
        tokens.put(position, ++token);
        return new PresentedClaim(position, token, key, 1, SettledMark.NONE);
    }

    Settle success(Position position, @Nullable String key, SettledMark mark) {
        return new Settle(position, tokens.get(position), key, mark, new Verdict.Success(null), 0);
    }

    /** Returns the success of a blocked key's head. It asks for a claim of the lane's next task. */
    Settle successWithNext(Position position, String key, Position next) {
        tokens.put(next, ++token);
        return new Settle(
                position, tokens.get(position), key, SettledMark.NONE, new Verdict.Success(null), tokens.get(next));
    }

    /** Returns a success whose claim of the key passes to the next task. */
    Settle successWithRelay(Position position, String key, SettledMark mark, Position next) {
        Claim then = newClaim(next, key);
        return new Settle(position, tokens.get(position), key, mark, new Verdict.Success(null), 0, then);
    }

    /** Returns a success of which every field is kept. */
    Settle keptSuccess(Position position, @Nullable String key, SettledMark mark) {
        SuccessRecord success = new SuccessRecord(
                "id-" + position,
                "type",
                key,
                2,
                1_800_000_000_123L,
                4_567,
                executor,
                "1\t1799999999000\t12\texecutor-0\tfailed");
        return settle(position, key, mark, new Verdict.Success(success));
    }

    Settle retry(Position position, @Nullable String key, SettledMark mark, long delayMillis) {
        return settle(position, key, mark, new Verdict.Retry(delayMillis, envelope(position, key)));
    }

    Settle dead(Position position, @Nullable String key, SettledMark mark, DeadHead policy) {
        return settle(position, key, mark, new Verdict.Dead(policy, envelope(position, key)));
    }

    Settle returned(Position position, @Nullable String key) {
        return settle(position, key, SettledMark.NONE, new Verdict.Returned());
    }

    private Settle settle(Position position, @Nullable String key, SettledMark mark, Verdict verdict) {
        return new Settle(position, tokens.get(position), key, mark, verdict, 0);
    }

    HandOver entry(Position position, @Nullable String key, SettledMark mark, Move move) {
        return new HandOver(position, key, mark, move, envelope(position, key));
    }

    /** Returns an envelope with every field; if the position was never claimed, with those of a task that never ran. */
    private byte[] envelope(Position position, @Nullable String key) {
        long settledToken = tokens.getOrDefault(position, 0L);
        Task task = new Task(
                "id-" + position,
                partition.queue(),
                "type",
                key,
                new byte[] {1, 2, (byte) 0xfe},
                Map.of("header", "value"),
                1_799_999_999_000L,
                1_800_000_000_000L,
                30_000,
                5,
                "dedup");
        return new Envelope(task, settledToken == 0 ? 0 : 1, settledToken, settledToken == 0 ? null : "failed")
                .encode();
    }

    private RequestHeader header() {
        return new RequestHeader(partition, "writer-of-" + executor, ++number, epoch);
    }

    private long[] tokens(Position... positions) {
        return List.of(positions).stream().mapToLong(tokens::get).toArray();
    }

    private <T extends StoreAnswer> T ask(StoreRequest request, Class<T> type) {
        return type.cast(scripts.ask(request));
    }
}
