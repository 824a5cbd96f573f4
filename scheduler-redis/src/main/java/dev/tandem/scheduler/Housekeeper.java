package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import io.lettuce.core.SetArgs;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trims the history of partitions to its bounds. A round goes through the partitions one after the other, one short
 * script at a time, so that Redis serves others in between. In each partition it goes on where the last round stopped.
 *
 * <p>The work follows what there is to remove: a round looks at some thousand entries of a partition in any case, and
 * then goes on as long as at least a quarter of what it finds can go. So the index of ids is a third larger than needed
 * at most, however fast tasks end, and costs little when nothing ends.
 *
 * <p>Retained partitions that nobody owns, because they hold no task that is to run, are trimmed by one process at a time.
 *
 * <p>It also goes on with drains of lanes that were too long for the outcome of their dead head, and frees the
 * deduplication keys of tasks that ended without a run.
 *
 * <p>Thread-safe.
 */
final class Housekeeper {

    private static final Logger log = LoggerFactory.getLogger(Housekeeper.class);

    /** The number of entries of each kind that one script looks at, in a millisecond of Redis or two. */
    private static final int PIECE_ENTRIES = 250;

    /** The number of pieces of a partition that a round does even if they remove nothing. */
    static final int MIN_PIECES = 25;

    /** The most pieces of a partition that a round does. */
    private static final int MAX_PIECES = 5_000;

    /** Goes on while at least one in so many entries is removed. */
    private static final int WORTHWHILE = 4;

    /** The time to wait for a process that was trimming a partition without an owner. */
    private static final long TURN_MILLIS = 60_000;

    private static final String BEGINNING = "0";
    private static final String LEFT_OUT = "";

    /**
     * Where the next piece of a partition begins.
     *
     * @param rank rank among the dead
     * @param ids cursor in the index of ids
     * @param bits cursor in the settled bits
     */
    private record ScanCursors(String rank, String ids, String bits) {
        static final ScanCursors FIRST = new ScanCursors(BEGINNING, BEGINNING, BEGINNING);
    }

    private final AdminConnection connection;
    private final Admin admin;
    private final Retention retention;
    private final SuccessTrimmer successes;
    private final NoteTrimmer notes;
    private final UntoldEnds untoldEnds;
    private final KeyedRequestTrimmer keyedRequests;
    /** The name of this process as the one that trims. */
    private final byte[] name = bytes(UUID.randomUUID().toString());

    private final Map<Partition, ScanCursors> places = new ConcurrentHashMap<>();
    private final AtomicBoolean busy = new AtomicBoolean();

    Housekeeper(AdminConnection connection, Admin admin, Retention retention) {
        this(connection, admin, retention, () -> true);
    }

    /** @param hasRoom whether Redis has room for tasks; may be called by any thread */
    Housekeeper(AdminConnection connection, Admin admin, Retention retention, BooleanSupplier hasRoom) {
        this.connection = connection;
        this.admin = admin;
        this.retention = retention;
        this.successes = new SuccessTrimmer(connection, retention, hasRoom);
        this.notes = new NoteTrimmer(connection);
        this.untoldEnds = new UntoldEnds(connection);
        this.keyedRequests = new KeyedRequestTrimmer(connection);
    }

    /**
     * Begins a round, unless the last one still runs. Forgets all other partitions.
     *
     * @param owned partitions of which this process is the owner
     * @param ownerless partitions of which nobody is, as far as is known
     */
    void trim(Collection<Partition> owned, Collection<Partition> ownerless) {
        if (busy.compareAndSet(false, true)) {
            Set<Partition> all = new LinkedHashSet<>(owned);
            all.addAll(ownerless);
            places.keySet().retainAll(all);
            notes.retain(all);
            keyedRequests.trim().whenCompleteAsync((forgotten, failure) -> {
                // The start of a request forgets some, too.
                if (failure != null) {
                    log.debug("Could not forget requests whose time is over", failure);
                }
                trimNext(new ArrayDeque<>(all), Set.copyOf(owned));
            });
        }
    }

    private void trimNext(Deque<Partition> rest, Set<Partition> owned) {
        Partition next = rest.poll();
        if (next == null) {
            busy.set(false);
            return;
        }
        CompletableFuture<Long> round = owned.contains(next)
                ? trim(next)
                : takeTurn(next).thenCompose(ours -> ours ? trim(next) : CompletableFuture.completedFuture(0L));
        // Leaves the thread that answered, so that many partitions are no deep recursion.
        round.whenCompleteAsync((removed, failure) -> trimNext(rest, owned));
    }

    /** Returns whether this process is the one that trims a partition without an owner. It stays that while it goes on. */
    CompletableFuture<Boolean> takeTurn(Partition partition) {
        byte[] key = connection.keys().trimmer(partition);
        return connection
                .run(commands -> commands.set(key, name, SetArgs.Builder.nx().px(TURN_MILLIS)))
                .thenCompose(set -> connection.run(commands -> commands.get(key)))
                .thenCompose(holder -> Arrays.equals(holder, name)
                        ? connection.run(commands -> commands.pexpire(key, TURN_MILLIS))
                        : CompletableFuture.completedFuture(false));
    }

    /**
     * Does a round in one partition, each job of it whether or not the others fail. Returns how many tasks were removed. The
     * future never fails: failures are logged, and the next round tries again.
     */
    CompletableFuture<Long> trim(Partition partition) {
        ScanCursors from = places.getOrDefault(partition, ScanCursors.FIRST);
        // In the order in which they happen, each once.
        Set<String> failures = new LinkedHashSet<>();
        return tried(failures, drain(partition, failures).thenApply(drained -> 0L))
                .thenCompose(none -> tried(failures, untoldEnds.passOn(partition)))
                .thenCompose(told -> tried(failures, new Round(partition, from).piece()))
                .thenCompose(tasks -> tried(failures, successes.trim(partition)).thenApply(records -> tasks + records))
                .thenCompose(before -> tried(failures, notes.trim(partition)).thenApply(removed -> before))
                .thenApply(removed -> {
                    if (!failures.isEmpty()) {
                        log.warn("Could not do all housekeeping of {}: {}", partition, String.join("; ", failures));
                    }
                    if (removed > 0) {
                        log.debug("Trimmed {} tasks from the history of {}", removed, partition);
                    }
                    return removed;
                });
    }

    /** Notes why a job failed, which then has removed nothing as far as is known. */
    private static CompletableFuture<Long> tried(Set<String> failures, CompletableFuture<Long> job) {
        return job.exceptionally(failure -> {
            failures.add(RedisFailures.describe(failure));
            return 0L;
        });
    }

    /** Goes on with drains of long lanes whose heads died ({@code dead-head: drain}). */
    private CompletableFuture<Void> drain(Partition partition, Set<String> failures) {
        byte[] owner = connection.keys().of(partition)[0];
        return connection.run(commands -> commands.hgetall(owner)).thenCompose(fields -> {
            CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
            for (Map.Entry<byte[], byte[]> field : fields.entrySet()) {
                String name = new String(field.getKey(), StandardCharsets.UTF_8);
                if (name.startsWith(ScriptCodes.DRAIN_FIELD)) {
                    String key = name.substring(ScriptCodes.DRAIN_FIELD.length());
                    all = all.thenCompose(before -> tried(
                                    failures,
                                    admin.goOnDraining(partition, key, field.getValue())
                                            .thenApply(result -> 0L)))
                            .thenApply(done -> null);
                }
            }
            return all;
        });
    }

    /** A round in one partition. One piece runs at a time. */
    private final class Round {

        private final Partition partition;

        /** The places where the next pieces begin; {@code LEFT_OUT} for what this round is done with. */
        private ScanCursors next;

        /** The places where the next round begins. */
        private ScanCursors later;

        private int pieces;
        private long removed;

        Round(Partition partition, ScanCursors from) {
            this.partition = partition;
            this.next = from;
            this.later = from;
        }

        CompletableFuture<Long> piece() {
            return connection
                    .runScript(
                            Script.TRIM_HISTORY,
                            partition,
                            bytes(next.rank()),
                            bytes(Long.toString(retention.deadFor().toMillis())),
                            bytes(Integer.toString(retention.maxDead())),
                            bytes(Integer.toString(retention.maxSucceeded())),
                            bytes(next.ids()),
                            bytes(next.bits()),
                            bytes(Integer.toString(PIECE_ENTRIES)),
                            bytes(Long.toString(retention.succeededFor().toMillis())))
                    .thenCompose(reply -> {
                        done(reply);
                        boolean over =
                                next.equals(new ScanCursors(LEFT_OUT, LEFT_OUT, LEFT_OUT)) || pieces >= MAX_PIECES;
                        return over ? CompletableFuture.completedFuture(removed) : piece();
                    });
        }

        private void done(List<Object> reply) {
            ReplyReader in = new ReplyReader(reply);
            long nextRank = in.number();
            boolean deadSeen = nextRank < 0;
            String rank = deadSeen ? BEGINNING : Long.toString(nextRank);
            long tasks = in.number();
            String ids = in.text();
            long looked = in.number();
            long removedIds = in.number();
            String bits = in.text();
            pieces++;
            removed += tasks;
            boolean least = pieces < MIN_PIECES;
            later = new ScanCursors(
                    next.rank().equals(LEFT_OUT) ? later.rank() : rank,
                    next.ids().equals(LEFT_OUT) ? later.ids() : ids,
                    next.bits().equals(LEFT_OUT) ? later.bits() : bits);
            next = new ScanCursors(
                    goesOn(next.rank(), rank, deadSeen, least || tasks > 0),
                    goesOn(next.ids(), ids, ids.equals(BEGINNING), least || removedIds * WORTHWHILE >= looked),
                    goesOn(next.bits(), bits, bits.equals(BEGINNING), least));
            places.put(partition, later);
        }

        private String goesOn(String before, String after, boolean allSeen, boolean worthwhile) {
            return before.equals(LEFT_OUT) || allSeen || !worthwhile ? LEFT_OUT : after;
        }
    }
}
