package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.scheduler.TaskChanges.Item;
import dev.tandem.scheduler.TaskChanges.Step;
import dev.tandem.task.Partition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads and changes many tasks of a partition for an operation, a page at a time. What an operation has done in a partition is
 * recorded there, in the same step as the changes, so that nothing is counted twice or left out when a program dies, and of two
 * programs only one goes on. Thread-safe.
 */
public final class OperationTasks {

    /** The stages of tasks that may be changed. */
    public enum Stage {
        PARKED,
        /** Scheduled, and due in more than 90 s or so. */
        FAR,
        /** Scheduled, and due sooner. */
        NEAR,
        RETRY,
        /** Running, in an attempt for which Redis has the envelope: not the first attempt of a task that came from its broker. */
        ACTIVE,
        DEAD
    }

    /** A task, and where it is. */
    public record Found(TaskView task, byte[] place) {}

    /** A page of tasks. @param next where the next page begins; null if there is none */
    public record Page(List<Found> tasks, @Nullable String next) {}

    /**
     * The result of an operation in a partition.
     *
     * @param text as the store has it; empty if it has done nothing yet
     * @param place where it goes on, in its own words; empty at the beginning
     */
    public record Done(String text, long looked, long matched, long changed, long refused, String place) {

        public static final Done NOTHING = new Done("", 0, 0, 0, 0, "");

        static Done parse(String text) {
            String[] parts = text.split(" ", 7);
            return new Done(text, number(parts, 1), number(parts, 2), number(parts, 3), number(parts, 4), parts[6]);
        }

        private static long number(String[] parts, int at) {
            return Long.parseLong(parts[at]);
        }
    }

    private static final byte[] NO_PLACE = {};
    private static final byte[] TOKEN_FIELD = bytes("token");

    private final AdminConnection connection;
    private final TaskChanges changes;
    private final EndAnnouncer ends;

    /** @param ends says that tasks have ended by a change */
    OperationTasks(AdminConnection connection, EndAnnouncer ends) {
        this.connection = connection;
        this.changes = new TaskChanges(connection);
        this.ends = ends;
    }

    /**
     * Reads the next tasks, the oldest first: up to {@value ScriptCodes#MAX_CHANGED_TASKS}, or those of 256 KiB and one more. A
     * page may have no task and yet a next one.
     *
     * @param cursor where the page before ended; null for the first one
     * @param latestMicros dead tasks that died later are left out
     */
    public CompletableFuture<Page> page(Partition partition, Stage stage, @Nullable String cursor, long latestMicros) {
        return connection
                .runScript(
                        Script.SCAN_TASKS,
                        partition,
                        bytes(stage.name().toLowerCase(Locale.ROOT)),
                        cursor == null ? NO_PLACE : Base64.getDecoder().decode(cursor),
                        bytes(Integer.toString(ScriptCodes.MAX_CHANGED_TASKS)),
                        bytes(stage == Stage.DEAD ? Long.toString(latestMicros) : "+inf"))
                .thenApply(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    byte[] next = in.bytes();
                    List<TaskView> tasks = InspectionReply.tasks(partition, in.list());
                    ReplyReader places = in.list();
                    List<Found> found = new ArrayList<>(tasks.size());
                    tasks.forEach(task -> found.add(new Found(task, places.hasMore() ? places.bytes() : NO_PLACE)));
                    return new Page(
                            found, next.length == 0 ? null : Base64.getEncoder().encodeToString(next));
                });
    }

    /** Returns what an operation has done in a partition. */
    public CompletableFuture<Done> done(Partition partition, String operation) {
        byte[] records = connection.keys().operations(partition);
        return connection
                .run(commands -> commands.hget(records, bytes(operation)))
                .thenApply(record ->
                        record == null ? Done.NOTHING : Done.parse(new String(record, StandardCharsets.UTF_8)));
    }

    /** Returns the highest token of a partition so far; 0 if nobody has ever owned it. */
    public CompletableFuture<Long> highestToken(Partition partition) {
        byte[] owner = connection.keys().owner(partition);
        return connection
                .run(commands -> commands.hget(owner, TOKEN_FIELD))
                .thenApply(token -> token == null ? 0L : Long.parseLong(new String(token, StandardCharsets.UTF_8)));
    }

    /**
     * Changes tasks, if they are still as they were seen, and records it.
     *
     * @param before what the operation had done before
     * @param looked how many tasks were looked at in this step
     * @param matched how many of them are to be changed, or would be
     * @param place where the next step goes on
     * @return what it has done now; empty if it has done something else than {@code before}, so that nothing was changed
     */
    public CompletableFuture<Optional<Done>> step(
            Partition partition,
            String operation,
            Done before,
            TaskChange change,
            List<Found> tasks,
            long looked,
            long matched,
            String place) {
        List<Item> items = tasks.stream()
                .map(each -> new Item(each.task().position(), each.task(), true, each.place()))
                .toList();
        Step step = new Step(operation, before.text(), before.looked() + looked, before.matched() + matched, place);
        return changes.call(partition, change, items, step)
                .thenApply(reply -> Optional.ofNullable(reply.record()).map(Done::parse))
                .whenComplete((done, failure) -> {
                    // Without an answer, tasks may have ended.
                    boolean any =
                            failure != null || done.isPresent() && done.get().changed() > before.changed();
                    if (any && change.endsTasks()) {
                        ends.changed(partition, null, null);
                    }
                });
    }
}
