package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tasks of logs that lost their incarnation's number to another log: the store forgot all that it knew of them. A process
 * that was frozen at that time may still begin runs of them, under positions that are other tasks by now.
 */
final class FormerTasks {

    private final Map<Long, List<List<@Nullable SimTask>>> logs = new HashMap<>();
    private final List<SeenTask> tasks = new ArrayList<>();
    /** The tasks that were ordered to start, by their tokens. */
    private final Map<Long, Integer> started = new HashMap<>();

    void hadLog(long incarnation, List<@Nullable SimTask> log) {
        logs.computeIfAbsent(incarnation, number -> new ArrayList<>()).add(log);
    }

    void starts(Run run) {
        started.put(run.token(), SimTask.idOf(run.task()));
    }

    boolean contains(SeenTask seen) {
        return tasks.contains(seen);
    }

    Stream<SeenTask> ofKey(@Nullable String key) {
        return tasks.stream().filter(each -> each.task.key != null && each.task.key.equals(key));
    }

    /** Moves tasks of the book here. */
    void retire(PartitionBook book, Predicate<SeenTask> which) {
        book.seen.values().stream().filter(which).forEach(each -> {
            each.retired = true;
            tasks.add(each);
        });
        book.seen.values().removeIf(which);
        book.byKey.values().forEach(list -> list.removeIf(which));
    }

    /** The store took a claim of this task for granted, so it knows the position as that of this task. */
    void restore(PartitionBook book, SeenTask seen) {
        retire(book, each -> each.position.equals(seen.position));
        tasks.remove(seen);
        book.add(seen);
    }

    /** Returns the task that was ordered to start under this token, if it is a former one. */
    @Nullable
    SeenTask startedUnder(long token, Position position, long incarnation) {
        Integer id = started.get(token);
        return id == null ? null : find(position, incarnation, id);
    }

    /** Returns a task that had this position in a former log; null if there is none. */
    @Nullable
    SeenTask find(Position position, long incarnation, int id) {
        for (SeenTask each : tasks) {
            if (each.task.id == id && each.position.equals(position)) {
                return each;
            }
        }
        for (List<@Nullable SimTask> log : logs.getOrDefault(incarnation, List.of())) {
            for (SimTask task : log) {
                if (task != null
                        && task.id == id
                        && Position.of(incarnation, task.offset).equals(position)) {
                    SeenTask seen = new SeenTask(position, task, incarnation);
                    tasks.add(seen);
                    return seen;
                }
            }
        }
        return null;
    }
}
