package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.AttemptHistory;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Task;
import dev.tandem.task.store.SuccessRecord;
import dev.tandem.task.store.TaskEnd;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Calls the script that makes an operator's change of one task, or of many. Thread-safe. */
final class TaskChanges {

    /**
     * A task to be changed.
     *
     * @param seen the task as it was seen; null if it is changed as it is found, or if it was not found
     * @param exactly whether it is changed only if its envelope is still the one that was seen
     * @param place where it was seen parked, or where a search for it goes on; empty if neither
     */
    record Item(Position position, @Nullable TaskView seen, boolean exactly, byte[] place) {}

    /**
     * The result of an operation on the next tasks of a partition.
     *
     * @param seen its record before; empty if there is none
     */
    record Step(String operation, String seen, long looked, long matched, String place) {}

    /**
     * An answer.
     *
     * @param record the new record of the operation; null if it has another one than the one that was seen, so that nothing was
     *     changed
     * @param results a code for each task
     * @param places where the search for each task goes on
     */
    record Reply(@Nullable String record, List<Integer> results, List<byte[]> places) {}

    private static final byte[] NOTHING = {};

    private final AdminConnection connection;
    private final RescheduledBearers bearers;

    TaskChanges(AdminConnection connection) {
        this.connection = connection;
        this.bearers = new RescheduledBearers(connection);
    }

    /** Changes one task. */
    CompletableFuture<Admin.Result> change(Partition partition, TaskChange change, Item item) {
        return call(partition, change, List.of(item), null).thenCompose(reply -> {
            int code = reply.results().get(0);
            return code == ScriptCodes.CHANGE_UNFINISHED
                    ? change(
                            partition,
                            change,
                            new Item(
                                    item.position(),
                                    item.seen(),
                                    item.exactly(),
                                    reply.places().get(0)))
                    : CompletableFuture.completedFuture(ScriptCodes.changeResult(code));
        });
    }

    /** Changes tasks in one call. @param step null if no operation asks for it */
    CompletableFuture<Reply> call(Partition partition, TaskChange change, List<Item> items, @Nullable Step step) {
        List<byte[]> args = new ArrayList<>(11 + 5 * items.size());
        SuccessPage kept = change instanceof TaskChange.Delete || change instanceof TaskChange.CancelRunning
                ? cancelled(items)
                : SuccessPage.NONE;
        args.add(bytes(connection.keys().wakeChannel(partition)));
        args.add(bytes(change.name()));
        args.add(bytes(change.argument()));
        args.add(kept.page());
        args.add(kept.hashes());
        args.add(bytes(step == null ? "" : step.operation()));
        args.add(bytes(step == null ? "" : step.seen()));
        args.add(bytes(Long.toString(step == null ? 0 : step.looked())));
        args.add(bytes(Long.toString(step == null ? 0 : step.matched())));
        args.add(bytes(step == null ? "" : step.place()));
        String policy = connection.eventPolicy(partition.queue());
        args.add(bytes(policy));
        items.forEach(item -> add(args, change, item));
        return connection
                .runScript(
                        Script.CHANGE_TASKS,
                        connection.keys().withOperations(partition, !policy.isEmpty()),
                        args.toArray(byte[][]::new))
                .thenApply(TaskChanges::read)
                .thenCompose(reply -> change instanceof TaskChange.Reschedule later
                        ? bearers.rescheduled(partition, items, reply.results(), later.dueAt())
                                .thenApply(told -> reply)
                        : CompletableFuture.completedFuture(reply));
    }

    private static Reply read(List<Object> answer) {
        ReplyReader in = new ReplyReader(answer);
        if (in.count() == ScriptCodes.CHANGE_STALE) {
            return new Reply(null, List.of(), List.of());
        }
        String record = in.text();
        List<Integer> results = new ArrayList<>();
        List<byte[]> places = new ArrayList<>();
        while (in.hasMore()) {
            results.add(in.count());
            places.add(in.bytes());
        }
        return new Reply(record, results, places);
    }

    private static void add(List<byte[]> args, TaskChange change, Item item) {
        TaskView seen = item.seen();
        Envelope envelope = seen == null ? null : seen.envelope();
        Envelope then = envelope == null ? null : change.then(seen, envelope);
        boolean compared = envelope != null && (item.exactly() || change.needsSeen(seen));
        args.add(bytes(item.position().text()));
        args.add(compared ? envelope.encode() : NOTHING);
        if (seen != null && change.isMade(seen)) {
            args.add(bytes(ScriptCodes.CHANGE_MADE));
        } else {
            args.add(then == null ? NOTHING : then.encode());
        }
        args.add(item.place());
        args.add(bytes(Long.toString(envelope == null ? 0 : envelope.task().notBefore())));
    }

    /** Returns what is kept of these tasks if they are cancelled now. */
    private static SuccessPage cancelled(List<Item> items) {
        List<Position> positions = new ArrayList<>();
        List<SuccessRecord> records = new ArrayList<>();
        for (Item item : items) {
            TaskView seen = item.seen();
            Envelope envelope = seen == null || seen.state().isFinal() ? null : seen.envelope();
            if (envelope != null) {
                Task task = envelope.task();
                positions.add(item.position());
                records.add(new SuccessRecord(
                        task.id(),
                        task.type(),
                        task.key(),
                        envelope.attempts() + seen.lapses(),
                        System.currentTimeMillis(),
                        0,
                        SuccessRecord.OPERATOR,
                        AttemptHistory.text(task),
                        TaskEnd.CANCELLED));
            }
        }
        return SuccessPage.of(positions, records);
    }
}
