package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskNotes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds single tasks by position or id. A search in a long lane takes several calls of the script, so that none holds
 * Redis up. Thread-safe.
 */
final class TaskFinder {

    /** The most tasks of one id that are looked at. The index of a partition knows fewer. */
    private static final int MAX_CANDIDATES = 1_000;

    /** The number of partitions that are searched at a time for a success; each may take some milliseconds. */
    private static final int SEARCHED_AT_ONCE = 16;

    private static final byte[] FROM_THE_START = {};

    private static final Pattern DEFAULT_ID = Pattern.compile(".+:(\\d{1,9}):(\\d{1,18})");

    private record Candidate(Partition partition, String position) {}

    private final AdminConnection connection;
    private final SuccessFinder successes;

    TaskFinder(AdminConnection connection, SuccessFinder successes) {
        this.connection = connection;
        this.successes = successes;
    }

    /** Returns what Redis knows of a position; empty if nothing. */
    CompletableFuture<Optional<TaskView>> at(Partition partition, Position position) {
        ReadBudget budget = ReadBudget.forSearch();
        return find(partition, "task", bytes(position.text()), FROM_THE_START, budget)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : successes.at(partition, position, budget));
    }

    /**
     * Returns tasks with this id, given by their publisher or by default. At most {@code limit}. If there are none, one that
     * succeeded. Fails if the budget is spent before all partitions are searched.
     */
    CompletableFuture<List<TaskView>> withId(List<Partition> partitions, String id, int limit, ReadBudget budget) {
        return byDefault(partitions, id, budget)
                .thenCompose(found -> indexed(partitions, id, budget)
                        .thenCompose(candidates -> collect(
                                candidates,
                                0,
                                limit,
                                new ArrayList<>(found.stream().toList()),
                                budget)))
                .thenCompose(found -> found.isEmpty()
                        ? succeeded(partitions, id, budget)
                                .thenApply(success -> success.stream().toList())
                        : CompletableFuture.completedFuture(found));
    }

    private CompletableFuture<Optional<TaskView>> succeeded(List<Partition> partitions, String id, ReadBudget budget) {
        return succeededByDefault(partitions, id, budget)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : succeeded(partitions, 0, id, budget));
    }

    /** Searches some partitions at a time, up to the first ones that have a success. One answers the question. */
    private CompletableFuture<Optional<TaskView>> succeeded(
            List<Partition> partitions, int from, String id, ReadBudget budget) {
        int to = Math.min(partitions.size(), from + SEARCHED_AT_ONCE);
        return Futures.all(partitions.subList(from, to), partition -> successes.withId(partition, id, budget))
                .thenCompose(found -> {
                    Optional<TaskView> latest =
                            found.stream().flatMap(Optional::stream).max(Comparator.comparingLong(TaskView::at));
                    return latest.isPresent() || to == partitions.size()
                            ? CompletableFuture.completedFuture(latest)
                            : succeeded(partitions, to, id, budget);
                });
    }

    private CompletableFuture<Optional<TaskView>> succeededByDefault(
            List<Partition> partitions, String id, ReadBudget budget) {
        Matcher matcher = DEFAULT_ID.matcher(id);
        Partition partition = partitionOf(matcher, partitions);
        if (partition == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return succeededAt(partition, matcher.group(2), budget);
    }

    private CompletableFuture<Optional<TaskView>> succeededAt(Partition partition, String offset, ReadBudget budget) {
        return connection
                .runScript(Script.INSPECT, partition, bytes("offset"), bytes(offset))
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    in.list();
                    return successes.at(partition, in.position(), budget);
                });
    }

    /** Returns what Redis knows of an offset in the current incarnation of a log; empty if nothing. */
    CompletableFuture<Optional<TaskView>> atOffset(Partition partition, long offset, ReadBudget budget) {
        String text = Long.toString(offset);
        return find(partition, "offset", bytes(text), FROM_THE_START, budget)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : succeededAt(partition, text, budget));
    }

    /** Returns the partition that a default id names; null if it is none, or names another partition. */
    private static @Nullable Partition partitionOf(Matcher id, List<Partition> partitions) {
        return !id.matches()
                ? null
                : partitions.stream()
                        .filter(partition -> partition.name().equals(id.group(1)))
                        .findFirst()
                        .orElse(null);
    }

    /** Returns the task of a log that has this id because its publisher gave it none. */
    private CompletableFuture<Optional<TaskView>> byDefault(List<Partition> partitions, String id, ReadBudget budget) {
        Matcher matcher = DEFAULT_ID.matcher(id);
        Partition partition = partitionOf(matcher, partitions);
        return partition == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : find(partition, "offset", bytes(matcher.group(2)), FROM_THE_START, budget);
    }

    /** Returns what the indexes know of an id. Searches some partitions at a time, until that is more than enough. */
    private CompletableFuture<List<Candidate>> indexed(List<Partition> partitions, String id, ReadBudget budget) {
        AtomicInteger known = new AtomicInteger();
        return Futures.all(partitions, partition -> {
                    if (known.get() >= MAX_CANDIDATES) {
                        return CompletableFuture.completedFuture(List.<Candidate>of());
                    }
                    budget.requireForSearch();
                    budget.runs(1);
                    return indexed(partition, id).whenComplete((found, failure) -> {
                        if (failure == null) {
                            known.addAndGet(found.size());
                        }
                    });
                })
                .thenApply(lists -> lists.stream()
                        .flatMap(List::stream)
                        .limit(MAX_CANDIDATES)
                        .toList());
    }

    private CompletableFuture<List<Candidate>> indexed(Partition partition, String id) {
        return connection
                .runScript(Script.INSPECT, partition, bytes("id"), bytes(id))
                .thenApply(reply -> {
                    String positions = new ReplyReader(reply).maybeText();
                    return positions == null
                            ? List.of()
                            : positions
                                    .lines()
                                    .map(position -> new Candidate(partition, position))
                                    .toList();
                });
    }

    /** Looks at as many candidates at a time as are asked for, because the tasks of some may have gone. */
    private CompletableFuture<List<TaskView>> collect(
            List<Candidate> candidates, int from, int limit, List<TaskView> found, ReadBudget budget) {
        if (from >= candidates.size() || found.size() >= limit) {
            return CompletableFuture.completedFuture(found.stream().limit(limit).toList());
        }
        int to = Math.min(candidates.size(), from + limit - found.size());
        return Futures.all(
                        candidates.subList(from, to),
                        each -> find(each.partition(), "task", bytes(each.position()), FROM_THE_START, budget))
                .thenCompose(tasks -> {
                    tasks.stream()
                            .flatMap(Optional::stream)
                            .filter(task -> !found.contains(task))
                            .forEach(found::add);
                    return collect(candidates, to, limit, found, budget);
                });
    }

    private CompletableFuture<Optional<TaskView>> find(
            Partition partition, String how, byte[] what, byte[] goOn, ReadBudget budget) {
        budget.requireForSearch();
        budget.runs(1);
        return connection
                .runScript(Script.INSPECT, partition, bytes(how), what, goOn)
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    List<TaskView> tasks = InspectionReply.tasks(partition, in.list());
                    byte[] position = in.bytes();
                    byte[] next = in.bytes();
                    TaskNotes notes = InspectionReply.notes(in.list());
                    return next.length > 0
                            ? find(partition, "task", position, next, budget)
                            : CompletableFuture.completedFuture(
                                    tasks.stream().findFirst().map(task -> task.withNotes(notes)));
                });
    }
}
