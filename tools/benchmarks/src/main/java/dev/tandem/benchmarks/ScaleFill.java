package dev.tandem.benchmarks;

import dev.tandem.scheduler.RedisSettings;
import dev.tandem.scheduler.RedisStore;
import dev.tandem.scheduler.Retention;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.HandOver;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Fills a queue in Redis with tasks, by the requests with which an executor would hand them over, so that they are stored as the
 * product stores them.
 */
final class ScaleFill {

    /** The type of one in five tasks. */
    static final String TYPE = "ship";

    private static final List<String> TYPES = List.of(TYPE, "invoice", "mail", "refund", "report");
    private static final Retention KEPT = new Retention(
            Duration.ofDays(14), Integer.MAX_VALUE, Duration.ofDays(1), Integer.MAX_VALUE, Long.MAX_VALUE);
    private static final int PAYLOAD = 64;
    private static final int BATCH = 500;
    private static final int IN_FLIGHT = 4;
    private static final long HOUR_MILLIS = 3_600_000;
    /** From these offsets on, a partition has tasks of other states than scheduled. */
    private static final long DEAD = 1_000_000_000L;

    private static final long HEADS = 2_000_000_000L;
    private static final long PARKED = 3_000_000_000L;
    private static final long SUCCEEDED = 4_000_000_000L;
    private static final long RUNNING = 5_000_000_000L;

    /** The tasks whose ends are recorded at once, and so are in one page of the store. */
    private static final int ENDED_AT_ONCE = 16;

    /** The tasks of each partition that ended. How many of these are kept depends on the settings, not on how many there are. */
    private static final int ENDED = 12_500;

    /** The tasks of each partition that executors have claimed: how many run does not depend on how many wait. */
    private static final int CLAIMED = 825;

    /** One in so many of the tasks that ended has expired, and one in so many was cancelled. */
    private static final int EXPIRED = 97;

    private static final int CANCELLED = 1_009;

    /**
     * The contents of a queue.
     *
     * @param dead besides those that halt their keys
     * @param keys blocked ones. One in five waits for an attempt, the others are halted; one task is parked behind each
     * @param lane the tasks that are parked behind one further key in each partition
     * @param ended tasks that succeeded, expired or were cancelled
     * @param running the tasks of each partition that executors have claimed
     */
    record Load(int scheduled, int dead, int keys, int lane, int ended, int running) {

        static final Load NOTHING = new Load(0, 0, 0, 0, 0, 0);

        /** Returns this number of scheduled tasks in all partitions, and others in proportion. @param least of each in a partition */
        static Load of(int tasks, int partitions, int least) {
            return new Load(
                    Math.max(least * partitions, tasks),
                    Math.max(least * partitions, tasks / 10),
                    Math.max(5 * least * partitions, tasks / 100), // one in five is in retry
                    Math.max(least, tasks / 1_000),
                    ENDED * partitions,
                    Math.min(CLAIMED, 10_000 / partitions));
        }
    }

    private final String redis;
    private final String queue;
    private final int partitions;
    private final ScaleRelations related;
    private final long now = System.currentTimeMillis();

    ScaleFill(String redis, String queue, int partitions) {
        this.redis = redis;
        this.queue = queue;
        this.partitions = partitions;
        this.related = new ScaleRelations(queue);
    }

    /** Returns the key behind which the most tasks are parked. */
    static String longKey() {
        return "customer-long-0";
    }

    /** Returns the id of a task that is scheduled. Its publisher gave it. */
    static String scheduledId() {
        return "order-0-0";
    }

    /** Opens the store. It trims the history, and none of this may go. */
    private RedisStore open() {
        return RedisStore.open(RedisSettings.of(redis), KEPT, Map.of());
    }

    /** Writes what does not become more: things that a task has to do with, and statistics. */
    void begin() throws Exception {
        try (RedisStore store = open()) {
            related.write(store);
            ScaleStatistics.write(store, redis, queue);
        }
    }

    /** Adds what the queue has not yet. @param before what it has */
    void grow(ScenarioContext context, Load before, Load after) throws InterruptedException {
        try (RedisStore store = open()) {
            for (int i = 0; i < partitions; i++) {
                try (StoreOwner owner = new StoreOwner(store, Partition.of(queue, i))) {
                    owner.acquire();
                    fill(owner, i, before, after);
                }
                context.progress("%d of %d partitions are filled", i + 1, partitions);
            }
        }
    }

    private void fill(StoreOwner owner, int partition, Load before, Load after) throws InterruptedException {
        String name = partition + "-";
        handOver(owner, before.scheduled(), after.scheduled(), i -> {
            // One in a hundred is due, or soon, as tasks are that wait for a worker.
            long ahead = i % 100 == 0 ? i % 80_000 : HOUR_MILLIS + i * 7_919L % (23 * HOUR_MILLIS);
            Task task = partition == 0 && i == 0
                    ? related.task(task(scheduledId(), "customer-0", 0))
                    : task(i % 10 == 0 ? "order-" + name + i : null, i % 2 == 0 ? "customer-" + i % 100_000 : null, i);
            return new HandOver(
                    Position.of(0, i), task.key(), SettledMark.NONE, new Move.Schedule(now + ahead), envelope(task));
        });
        // Each group of dead tasks has some already before the first ones halt their keys.
        handOver(owner, before.dead(), after.dead(), i -> {
            Task task = task("dead-" + name + i, null, i);
            return new HandOver(Position.of(0, DEAD + i), null, SettledMark.NONE, new Move.Bury(), failed(task, i));
        });
        block(owner, before.keys(), after.keys(), i -> "blocked-" + name + i);
        handOver(owner, before.keys(), after.keys(), i -> parked("blocked-" + name + i, PARKED + 2L * i));
        if (before.lane() == 0) {
            block(owner, 0, partitions, i -> "customer-long-" + partition);
        }
        // A lane is as long in each partition.
        handOver(
                owner,
                before.lane() * partitions,
                after.lane() * partitions,
                i -> parked("customer-long-" + partition, PARKED + 2L * i + 1));
        end(owner, before.ended(), after.ended());
        run(owner, name, after.running());
    }

    private HandOver parked(String key, long offset) {
        Task task = task(null, key, (int) offset);
        return new HandOver(Position.of(0, offset), key, SettledMark.NONE, new Move.Park(), envelope(task));
    }

    /** Hands over this partition's share of the tasks with these numbers. */
    private void handOver(StoreOwner owner, int from, int to, IntFunction<HandOver> entry) throws InterruptedException {
        int unanswered = 0;
        for (int next = from / partitions; next < to / partitions; next += BATCH) {
            List<HandOver> entries = new ArrayList<>(BATCH);
            for (int i = next; i < Math.min(to / partitions, next + BATCH); i++) {
                entries.add(entry.apply(i));
            }
            owner.send(new TakeCustody(
                    owner.header(), Incarnation.of(0), 0, Integer.MAX_VALUE, Integer.MAX_VALUE, entries));
            if (++unanswered == IN_FLIGHT) {
                taken(owner);
                unanswered--;
            }
        }
        for (; unanswered > 0; unanswered--) {
            taken(owner);
        }
    }

    private static void taken(StoreOwner owner) throws InterruptedException {
        StoreAnswer.CustodyTaken answer = owner.next(StoreAnswer.CustodyTaken.class);
        if (!answer.results().stream().allMatch(StoreAnswer.HandOverResult.OK::equals)) {
            throw new IllegalStateException("The store did not take all tasks: " + answer);
        }
    }

    /** Lets the first task of each of this partition's share of the keys fail or die. */
    private void block(StoreOwner owner, int from, int to, IntFunction<String> keys) throws InterruptedException {
        for (int next = from / partitions; next < to / partitions; next += BATCH / 2) {
            List<Claim> claims = new ArrayList<>();
            List<Settle> settles = new ArrayList<>();
            for (int i = next; i < Math.min(to / partitions, next + BATCH / 2); i++) {
                String key = keys.apply(i);
                boolean isLong = key.startsWith("customer");
                Position position = Position.of(0, HEADS + 2L * i + (isLong ? 1 : 0));
                Claim claim = new Claim(position, owner.nextToken(), key, false);
                claims.add(claim);
                byte[] envelope = failed(task("head-of-" + key, key, i), 2 * i);
                Verdict verdict = i % 5 == 0
                        ? new Verdict.Retry(6 * HOUR_MILLIS + i, envelope)
                        : new Verdict.Dead(DeadHead.HALT, envelope);
                settles.add(new Settle(position, claim.token(), key, SettledMark.NONE, verdict, 0));
            }
            exchange(owner, List.of(), claims);
            exchange(owner, settles, List.of());
        }
    }

    /** Lets tasks end, most of them well. */
    private void end(StoreOwner owner, int from, int to) throws InterruptedException {
        for (int next = from / partitions; next < to / partitions; next += ENDED_AT_ONCE) {
            List<Claim> claims = new ArrayList<>();
            List<Settle> settles = new ArrayList<>();
            for (int i = next; i < Math.min(to / partitions, next + ENDED_AT_ONCE); i++) {
                Position position = Position.of(0, SUCCEEDED + i);
                Claim claim = new Claim(position, owner.nextToken(), null, false);
                claims.add(claim);
                SuccessRecord record = new SuccessRecord(
                        "done-" + owner.partition().name() + "-" + i,
                        TYPES.get(i % TYPES.size()),
                        null,
                        1,
                        now - 60_000,
                        12,
                        StoreOwner.EXECUTOR,
                        null,
                        i % EXPIRED == 1
                                ? TaskEnd.EXPIRED
                                : i % CANCELLED == 2 ? TaskEnd.CANCELLED : TaskEnd.SUCCEEDED);
                settles.add(
                        new Settle(position, claim.token(), null, SettledMark.NONE, new Verdict.Success(record), 0));
            }
            exchange(owner, List.of(), claims);
            exchange(owner, settles, List.of());
        }
    }

    /** Claims tasks that do not end. Claims of an owner before were taken back when this one came. */
    private static void run(StoreOwner owner, String name, int count) throws InterruptedException {
        List<Claim> claims = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            claims.add(new Claim(Position.of(0, RUNNING + i), owner.nextToken(), "running-" + name + i, false));
        }
        exchange(owner, List.of(), claims);
    }

    private static void exchange(StoreOwner owner, List<Settle> settles, List<Claim> claims)
            throws InterruptedException {
        owner.send(new SettleAndClaim(owner.header(), StoreOwner.LEASE_MILLIS, Incarnation.of(0), 0, settles, claims));
        StoreAnswer.SettledAndClaimed answer = owner.next(StoreAnswer.SettledAndClaimed.class);
        if (!answer.claims().stream().allMatch(StoreAnswer.ClaimResult.Ok.class::isInstance)
                || !answer.settles().stream().allMatch(StoreAnswer.SettleResult.Ok.class::isInstance)) {
            throw new IllegalStateException("A task was not claimed or not settled: " + answer);
        }
    }

    private Task task(@Nullable String id, @Nullable String key, int number) {
        return new Task(
                id,
                queue,
                TYPES.get(Math.floorMod(number, TYPES.size())),
                key,
                new byte[PAYLOAD],
                Map.of(),
                now,
                0,
                0,
                0,
                null);
    }

    private static byte[] envelope(Task task) {
        return Envelope.of(task).encode();
    }

    private static byte[] failed(Task task, int number) {
        return new Envelope(task, 3, 0, ScaleErrors.of(number)).encode();
    }
}
