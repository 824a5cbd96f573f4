package dev.tandem.scheduler;

import dev.tandem.scheduler.TaskChanges.Item;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.DedupBuckets;
import dev.tandem.task.store.PausedTasks;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes operators' changes. Each change but {@link #drainKey} is atomic, all are idempotent, and wake the partition's
 * owner. A future fails when Redis cannot be reached or does not answer in time: then the change may or may not have been
 * made. Thread-safe.
 */
public final class Admin {

    /** The result of a change. */
    public enum Result {
        DONE,
        /** There is no such task or blocked key, or it has changed since it was seen. */
        NOT_FOUND,
        /** The head has changed between two steps of a drain: it ran, or somebody changed it. What had died by then stays dead. */
        DONE_IN_PART,
        /** The task is running. Try again when its run has ended. */
        ACTIVE,
        /** The task is not in a state that the deletion may take. */
        OTHER_STATE,
        /** The dead task halts its key, and the deletion may not take such a one. */
        HALTS_KEY,
        /** The head of the key is alive, so that only a forced change may give it up. */
        NOT_HALTED
    }

    /** The tasks that a deletion may take. */
    public enum Deletion {
        /** Dead and waiting ones. */
        ANY,
        DEAD,
        /** Dead ones, but none that halts its key. */
        DEAD_NOT_HALTING,
        /** Scheduled, retried and parked ones: they are cancelled. */
        WAITING
    }

    private static final byte[] NOTHING = {};

    /** The argument of the script that says where it goes on, from 0. */
    private static final int GO_ON = 5;

    private final AdminConnection connection;
    private final Inspector inspector;
    private final TaskChanges changes;
    private final EndAnnouncer ends;
    private final PausedTaskWakeups pausedTasks;

    /** @param ends says which tasks have ended by a change */
    Admin(AdminConnection connection, Inspector inspector, EndAnnouncer ends) {
        this.connection = connection;
        this.inspector = inspector;
        this.changes = new TaskChanges(connection);
        this.ends = ends;
        this.pausedTasks = new PausedTaskWakeups(connection, inspector, ends);
    }

    /**
     * Retries a dead task now, with all its attempts available again; if it halted its key, it is the head again. Makes a
     * scheduled or retried task due now.
     */
    public CompletableFuture<Result> retry(Partition partition, Position position) {
        return inspector.task(partition, position).thenCompose(task -> {
            return task.map(this::retry).orElseGet(() -> CompletableFuture.completedFuture(Result.NOT_FOUND));
        });
    }

    /**
     * Retries a task as it was seen: a dead one only if it is still dead, with the same outcome. If it is seen to wait, it is
     * only made due, even if it has died since.
     */
    public CompletableFuture<Result> retry(TaskView seen) {
        return changes.change(
                seen.partition(), new TaskChange.Retry(), new Item(seen.position(), seen, false, NOTHING));
    }

    /** Removes a dead task for good. Cancels a scheduled, retried or parked one. */
    public CompletableFuture<Result> delete(Partition partition, Position position) {
        return delete(partition, position, Deletion.ANY);
    }

    /** Removes a task if the deletion may take it: {@link Result#OTHER_STATE} or {@link Result#HALTS_KEY} if not. */
    public CompletableFuture<Result> delete(Partition partition, Position position, Deletion which) {
        return inspector.task(partition, position).thenCompose(seen -> {
            Item item = new Item(position, seen.orElse(null), false, NOTHING);
            return changes.change(partition, new TaskChange.Delete(which), item).whenComplete((result, failure) -> {
                if (result == Result.DONE
                        && seen.isPresent()
                        && !seen.get().state().isFinal()) {
                    ends.changed(partition, position, idOf(seen.get()));
                }
            });
        });
    }

    private static @Nullable String idOf(TaskView seen) {
        return seen.envelope() == null ? null : seen.envelope().task().id();
    }

    /**
     * Gives a scheduled or retried task as it was seen another time. {@link Result#OTHER_STATE} if it is parked, since it may
     * not overtake the head of its key, or has ended; {@link Result#ACTIVE} if it runs, or is due and may just start.
     *
     * @param dueAt epoch milliseconds; a time in the past is now
     */
    public CompletableFuture<Result> reschedule(TaskView seen, long dueAt) {
        Envelope envelope = seen.envelope();
        if (envelope == null || seen.state().isFinal()) {
            return CompletableFuture.completedFuture(
                    seen.state() == TaskState.ACTIVE ? Result.ACTIVE : Result.OTHER_STATE);
        }
        Item item = new Item(seen.position(), seen, true, NOTHING);
        return changes.change(seen.partition(), new TaskChange.Reschedule(dueAt), item);
    }

    /**
     * Gives a waiting or dead task as it was seen another payload. {@link Result#NOT_FOUND} if it has changed since; {@link
     * Result#ACTIVE} if it runs, or if its executor may have taken it already, because it is due soon or waits in a line;
     * {@link Result#OTHER_STATE} if it has ended otherwise, or if Redis does not have it.
     *
     * @param payload is not copied
     */
    public CompletableFuture<Result> edit(TaskView seen, byte[] payload) {
        if (seen.envelope() == null || seen.state().isFinal() && seen.state() != TaskState.DEAD) {
            return CompletableFuture.completedFuture(
                    seen.state() == TaskState.ACTIVE ? Result.ACTIVE : Result.OTHER_STATE);
        }
        Item item = new Item(seen.position(), seen, true, NOTHING);
        return changes.change(seen.partition(), new TaskChange.Edit(payload), item);
    }

    /** Retries the head of a blocked key now, whether dead or waiting. */
    public CompletableFuture<Result> retryKey(Partition partition, String key) {
        return inspector
                .keys()
                .find(partition, key)
                .thenCompose(found -> found.isEmpty()
                        ? CompletableFuture.completedFuture(Result.NOT_FOUND)
                        : retry(partition, found.get().head()));
    }

    /** Gives up the dead head of a halted key. The next task of its lane goes on. */
    public CompletableFuture<Result> skipKey(Partition partition, String key) {
        return skipKey(partition, key, false);
    }

    /**
     * Gives up the head that a blocked key has now, as {@link #skip} does.
     *
     * @param force whether a head that is alive may be given up: it dies if Redis has it. If it must be redelivered, it runs
     *     after the others
     */
    public CompletableFuture<Result> skipKey(Partition partition, String key, boolean force) {
        return withSeen(partition, key, seen -> skip(seen, force));
    }

    /**
     * Gives up the head of a blocked key as it was seen, and says so in its error. The next task of its lane goes on. {@link
     * Result#NOT_FOUND} if the key has another head by now, or if the head was seen dead and is not any more, even by force.
     *
     * @param force as for {@link #skipKey(Partition, String, boolean)}
     */
    public CompletableFuture<Result> skip(KeyView seen, boolean force) {
        return giveUp(seen, "skip", force);
    }

    /**
     * Gives up the head as {@link #skipKey} does, after all tasks parked behind it have died, in order. A long lane dies in
     * several steps. If the future fails, some may have died, and the key is blocked still: drain it again. If the head
     * changes in between, the drain ends with {@link Result#DONE_IN_PART}.
     */
    public CompletableFuture<Result> drainKey(Partition partition, String key) {
        return drainKey(partition, key, false);
    }

    /** Drains as {@link #drainKey(Partition, String)} does. @param force as for {@link #skipKey(Partition, String, boolean)} */
    public CompletableFuture<Result> drainKey(Partition partition, String key, boolean force) {
        return withSeen(partition, key, seen -> drain(seen, force));
    }

    /** Drains as {@link #drainKey(Partition, String)} does, if the head is the one that was seen. @param force as for {@link #skip} */
    public CompletableFuture<Result> drain(KeyView seen, boolean force) {
        return giveUp(seen, "drain", force);
    }

    /**
     * Goes on with a drain that a dead task began, unless the head was retried, skipped or deleted since: {@link
     * Result#NOT_FOUND}.
     */
    CompletableFuture<Result> goOnDraining(Partition partition, String key, byte[] head) {
        return change(partition, "drain", key, head, null, ScriptCodes.GO_ON_NOTED)
                .whenComplete((result, failure) -> died(partition, result));
    }

    /** Says that tasks have died by a change, unless it had no effect. @param result null if that is unknown */
    private void died(Partition partition, @Nullable Result result) {
        if (result == null || result == Result.DONE || result == Result.DONE_IN_PART) {
            ends.changed(partition, null, null);
        }
    }

    /**
     * Frees a deduplication key, so that the next task with it runs. The task that had it may run too, unless it has ended.
     *
     * @return whether the key was taken
     */
    public CompletableFuture<Boolean> freeDedupKey(String queue, String key) {
        byte[][] keys = {connection.keys().dedup(queue, DedupBuckets.of(queue, key), key)};
        return connection.runScript(Script.FREE_DEDUP_KEY, keys).thenApply(reply -> new ReplyReader(reply).flag());
    }

    /** Lets no more task of the queue start in any executor. Runs go on. Executors notice within a second. */
    public CompletableFuture<Void> pause(String queue) {
        byte[] now = Long.toString(System.currentTimeMillis()).getBytes(StandardCharsets.UTF_8);
        return connection
                .run(commands -> commands.setnx(connection.keys().paused(queue), now))
                .thenCompose(set -> announce(queue, "paused"));
    }

    /** Lets tasks of the queue start again. */
    public CompletableFuture<Void> resume(String queue) {
        return connection
                .run(commands -> commands.del(connection.keys().paused(queue)))
                .thenCompose(deleted -> announce(queue, "resumed"));
    }

    /**
     * Starts no task of a type or a key any more, on any executor.
     *
     * @param which one type, or one key
     * @return whether it is paused; false if {@link PausedTasks#MAX} others are
     */
    public CompletableFuture<Boolean> pause(String queue, PausedTasks which) {
        return new PausedTaskBook(connection)
                .add(queue, which)
                .thenCompose(paused -> announce(queue, "paused").thenApply(done -> paused));
    }

    /**
     * Lets tasks of a type or a key start again. Those that were put aside are made due, which goes on after the answer.
     *
     * @param which one type, or one key
     * @param defaultType the type of tasks that name none; null if they have none
     */
    public CompletableFuture<Void> resume(String queue, PausedTasks which, @Nullable String defaultType) {
        return new PausedTaskBook(connection)
                .remove(queue, which)
                .thenCompose(removed -> announce(queue, "resumed").thenApply(done -> removed))
                .whenComplete((removed, failure) -> {
                    // After a failure it may have been removed, and a repetition would find nothing.
                    if (failure != null || removed) {
                        pausedTasks.begin(queue, which, defaultType);
                    }
                })
                .thenAccept(removed -> {});
    }

    private CompletableFuture<Void> announce(String queue, String what) {
        byte[] channel = connection.keys().pauseChannel(queue).getBytes(StandardCharsets.UTF_8);
        return connection
                .run(commands -> commands.publish(channel, what.getBytes(StandardCharsets.UTF_8)))
                .thenApply(receivers -> null);
    }

    private CompletableFuture<Result> withSeen(
            Partition partition, String key, Function<KeyView, CompletableFuture<Result>> change) {
        return inspector
                .keys()
                .find(partition, key)
                .thenCompose((Optional<KeyView> found) ->
                        found.map(change).orElseGet(() -> CompletableFuture.completedFuture(Result.NOT_FOUND)));
    }

    /** Makes a change of a seen head. Force is meant for a head that was seen alive, not for one that somebody has retried. */
    private CompletableFuture<Result> giveUp(KeyView seen, String what, boolean force) {
        boolean wasHalted = seen.reason() == BlockReason.HALTED;
        byte[] head = seen.head().text().getBytes(StandardCharsets.UTF_8);
        byte[] forced = force && !wasHalted ? ScriptCodes.CHANGE_FORCED.getBytes(StandardCharsets.UTF_8) : null;
        return change(seen.partition(), what, seen.key(), head, forced)
                .whenComplete((result, failure) -> died(seen.partition(), result))
                .thenApply(result -> wasHalted && result == Result.NOT_HALTED ? Result.NOT_FOUND : result);
    }

    private CompletableFuture<Result> change(
            Partition partition, String what, String name, byte @Nullable [] seen, byte @Nullable [] then) {
        return change(partition, what, name, seen, then, "");
    }

    private CompletableFuture<Result> change(
            Partition partition,
            String what,
            String name,
            byte @Nullable [] seen,
            byte @Nullable [] then,
            String goOn) {
        byte[][] args = {
            connection.keys().wakeChannel(partition).getBytes(StandardCharsets.UTF_8),
            what.getBytes(StandardCharsets.UTF_8),
            name.getBytes(StandardCharsets.UTF_8),
            seen == null ? NOTHING : seen,
            then == null ? NOTHING : then,
            goOn.getBytes(StandardCharsets.UTF_8),
            connection.eventPolicy(partition.queue()).getBytes(StandardCharsets.UTF_8)
        };
        return change(partition, args);
    }

    /** Returns whether tasks have died already in the change with these arguments. Other changes only search in several steps. */
    private static boolean isDrainUnderWay(byte[][] args) {
        String goOn = new String(args[GO_ON], StandardCharsets.UTF_8);
        return goOn.startsWith(ScriptCodes.GO_ON_BEGUN) || goOn.startsWith(ScriptCodes.GO_ON_ALIVE);
    }

    /** Calls the script until the change is made. */
    private CompletableFuture<Result> change(Partition partition, byte[][] args) {
        return connection
                .runScript(Script.ADMINISTER, connection.keysWithEvents(partition), args)
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    int code = in.count();
                    if (code != ScriptCodes.CHANGE_UNFINISHED) {
                        Result result = ScriptCodes.changeResult(code);
                        return CompletableFuture.completedFuture(
                                result != Result.DONE && isDrainUnderWay(args) ? Result.DONE_IN_PART : result);
                    }
                    byte[][] next = args.clone();
                    next[GO_ON] = in.bytes();
                    return change(partition, next);
                });
    }
}
