package dev.tandem.scheduler;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import dev.tandem.task.TaskState;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Decodes the replies of {@code inspect.lua}. */
final class InspectionReply {

    private InspectionReply() {}

    static PartitionView partition(Partition partition, ReplyReader in) {
        long now = in.number();
        String owner = in.maybeText();
        long epoch = in.number();
        long lease = in.number();
        long incarnation = in.number();
        long storedCommit = in.number();
        long highWater = in.number();
        Map<TaskState, Long> tasks = new EnumMap<>(TaskState.class);
        tasks.put(TaskState.SCHEDULED, in.number());
        tasks.put(TaskState.RETRY, in.number());
        tasks.put(TaskState.PARKED, in.number());
        tasks.put(TaskState.ACTIVE, in.number());
        tasks.put(TaskState.DEAD, in.number());
        tasks.put(TaskState.SUCCEEDED, in.number());
        long blocked = in.number();
        Map<String, Long> totals = new TreeMap<>();
        ReplyReader stats = in.list();
        while (stats.hasMore()) {
            totals.put(stats.text(), Long.parseLong(stats.text()));
        }
        return new PartitionView(
                partition,
                owner,
                epoch,
                Math.max(0, lease - now),
                incarnation,
                storedCommit,
                highWater,
                tasks,
                blocked,
                totals,
                in.number(),
                in.number(),
                in.number());
    }

    static List<TaskView> tasks(Partition partition, ReplyReader in) {
        return in.all(each -> task(partition, each.list()));
    }

    static List<TaskView> running(Partition partition, ReplyReader in) {
        List<TaskView> tasks = tasks(partition, in.list());
        List<String> progress = in.list().all(ReplyReader::text);
        return IntStream.range(0, tasks.size())
                .mapToObj(i -> tasks.get(i).withNotes(TaskNotes.decode(progress.get(i), List.of(), null)))
                .toList();
    }

    private static TaskView task(Partition partition, ReplyReader in) {
        Position position = in.position();
        TaskState state = TaskState.valueOf(in.text().toUpperCase(Locale.ROOT));
        long at = in.number();
        int lapses = in.count();
        byte[] envelope = in.maybeBytes();
        byte[] claim = in.maybeBytes();
        String head = in.maybeText();
        Envelope task = envelope == null ? null : Envelope.decode(partition.queue(), envelope);
        long when = switch (state) {
            case ACTIVE, PARKED -> -1;
            // The store does not look up the entry of a far-off task.
            case SCHEDULED -> at < 0 && task != null ? task.task().notBefore() : at;
            default -> at;
        };
        return new TaskView(
                partition,
                position,
                state,
                when,
                lapses,
                task,
                claim == null ? null : ClaimRecord.read(claim, at),
                head == null ? null : new Position(head),
                null);
    }

    static TaskNotes notes(ReplyReader in) {
        if (!in.hasMore()) {
            return TaskNotes.NONE;
        }
        long savedAt = in.number();
        int bytes = in.count();
        return TaskNotes.decode(
                in.text(), in.all(ReplyReader::text), bytes < 0 ? null : new TaskNotes.Checkpoint(savedAt, bytes));
    }

    static KeyView key(Partition partition, String key, String entry, long parked, @Nullable ReplyReader head) {
        BlockedEntry blocked = BlockedEntry.parse(entry);
        TaskView headTask = head == null
                ? null
                : tasks(partition, head).stream().findFirst().orElse(null);
        return new KeyView(partition, key, blocked.reason(), blocked.head(), blocked.since(), parked, headTask);
    }
}
