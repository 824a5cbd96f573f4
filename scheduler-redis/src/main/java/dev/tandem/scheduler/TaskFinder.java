package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds single tasks by position or id. A search in a long lane takes several calls of the script, so that none holds
 * Redis up. Thread-safe.
 */
final class TaskFinder {

    /** How many tasks of one id are looked at. The index of a partition knows fewer. */
    private static final int MAX_CANDIDATES = 1_000;

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
        return find(partition, "task", bytes(position.text()), FROM_THE_START)
                .thenCompose(found -> found.isPresent()
                        ? CompletableFuture.completedFuture(found)
                        : successes.at(partition, position));
    }

    /**
     * Returns tasks with this id, given by their publisher or by default. At most {@code limit}. If there are none, the
     * latest one that succeeded.
     */
    CompletableFuture<List<TaskView>> withId(List<Partition> partitions, String id, int limit) {
        return Futures.all(partitions, partition -> indexed(partition, id))
                .thenCompose(lists -> {
                    List<Candidate> candidates = lists.stream()
                            .flatMap(List::stream)
                            .limit(MAX_CANDIDATES)
                            .toList();
                    return byDefault(partitions, id)
                            .thenCompose(found -> collect(
                                    candidates,
                                    0,
                                    limit,
                                    new ArrayList<>(found.stream().toList())));
                })
                .thenCompose(found ->
                        found.isEmpty() ? succeeded(partitions, id) : CompletableFuture.completedFuture(found));
    }

    private CompletableFuture<List<TaskView>> succeeded(List<Partition> partitions, String id) {
        return Futures.all(partitions, partition -> successes.withId(partition, id))
                .thenCombine(
                        succeededByDefault(partitions, id),
                        (found, byDefault) -> Stream.concat(
                                        found.stream().flatMap(Optional::stream), byDefault.stream())
                                .max(Comparator.comparingLong(TaskView::at))
                                .stream()
                                .toList());
    }

    private CompletableFuture<Optional<TaskView>> succeededByDefault(List<Partition> partitions, String id) {
        Matcher matcher = DEFAULT_ID.matcher(id);
        Partition partition = partitionOf(matcher, partitions);
        if (partition == null) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return connection
                .runScript(Script.INSPECT, partition, bytes("offset"), bytes(matcher.group(2)))
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    in.list();
                    return successes.at(partition, in.position());
                });
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
    private CompletableFuture<Optional<TaskView>> byDefault(List<Partition> partitions, String id) {
        Matcher matcher = DEFAULT_ID.matcher(id);
        Partition partition = partitionOf(matcher, partitions);
        return partition == null
                ? CompletableFuture.completedFuture(Optional.empty())
                : find(partition, "offset", bytes(matcher.group(2)), FROM_THE_START);
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
            List<Candidate> candidates, int from, int limit, List<TaskView> found) {
        if (from >= candidates.size() || found.size() >= limit) {
            return CompletableFuture.completedFuture(found.stream().limit(limit).toList());
        }
        int to = Math.min(candidates.size(), from + limit - found.size());
        return Futures.all(
                        candidates.subList(from, to),
                        each -> find(each.partition(), "task", bytes(each.position()), FROM_THE_START))
                .thenCompose(tasks -> {
                    tasks.stream()
                            .flatMap(Optional::stream)
                            .filter(task -> !found.contains(task))
                            .forEach(found::add);
                    return collect(candidates, to, limit, found);
                });
    }

    private CompletableFuture<Optional<TaskView>> find(Partition partition, String how, byte[] what, byte[] goOn) {
        return connection
                .runScript(Script.INSPECT, partition, bytes(how), what, goOn)
                .thenCompose(reply -> {
                    ReplyReader in = new ReplyReader(reply);
                    List<TaskView> tasks = InspectionReply.tasks(partition, in.list());
                    byte[] position = in.bytes();
                    byte[] next = in.bytes();
                    return next.length > 0
                            ? find(partition, "task", position, next)
                            : CompletableFuture.completedFuture(tasks.stream().findFirst());
                });
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
