package dev.tandem.scheduler;

import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Looks whether a task waits for itself: by the tasks that it waits for, by those that these wait for, and so on, and by the
 * heads of the keys behind which they wait. Of the tasks of a cycle, the one that began to wait last has closed it. Looks at so
 * many tasks at most that a search costs little; a longer cycle ends when the time of its tasks is over.
 */
final class WaitCycle {

    static final int MAX_TASKS = 64;

    /**
     * Why a task is held up.
     *
     * @param by the task that holds it up
     * @param name the name of that, for people
     * @param since since when it waits for it, in epoch milliseconds; 0 if it is parked behind it
     */
    record Edge(Waiter by, String name, long since) {}

    /**
     * A way from the start to a task.
     *
     * @param latest the task on it that began to wait last
     * @param since since when
     */
    private record Path(Waiter end, String text, Waiter latest, long since) {}

    /** Which of two tasks has closed the cycle, if both began to wait in the same millisecond. */
    private static final Comparator<Waiter> BY_PLACE = Comparator.comparing(
                    (Waiter each) -> each.partition().toString())
            .thenComparing(each -> each.position().text());

    private final Waiter start;
    private final Function<Waiter, CompletableFuture<List<Edge>>> edgesOf;
    private final Deque<Path> open = new ArrayDeque<>();
    private final Set<Waiter> seen = new HashSet<>();

    /** @param edgesOf returns what holds a task up */
    WaitCycle(Waiter start, Function<Waiter, CompletableFuture<List<Edge>>> edgesOf) {
        this.start = start;
        this.edgesOf = edgesOf;
    }

    /** Returns the cycle that the task has closed, for people; empty if there is none. @param name its own name */
    CompletableFuture<Optional<String>> find(String name) {
        return edgesOf.apply(start).thenCompose(edges -> {
            Path from = new Path(start, name, start, 0);
            return follow(from, edges).map(this::found).orElseGet(this::next);
        });
    }

    private CompletableFuture<Optional<String>> found(String cycle) {
        return CompletableFuture.completedFuture(Optional.of(cycle));
    }

    private CompletableFuture<Optional<String>> next() {
        Path path = open.poll();
        if (path == null || seen.size() > MAX_TASKS) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return edgesOf.apply(path.end())
                .thenCompose(edges -> follow(path, edges).map(this::found).orElseGet(this::next));
    }

    /** Goes on from the end of a way. @return the cycle, if it is one that the start has closed */
    private Optional<String> follow(Path path, List<Edge> edges) {
        for (Edge edge : edges) {
            boolean later = edge.since() > path.since()
                    || edge.since() == path.since() && BY_PLACE.compare(path.end(), path.latest()) > 0;
            Path further = new Path(
                    edge.by(),
                    path.text() + " -> " + edge.name(),
                    edge.since() > 0 && later ? path.end() : path.latest(),
                    Math.max(edge.since(), path.since()));
            if (edge.by().equals(start)) {
                if (further.latest().equals(start)) {
                    return Optional.of(further.text());
                }
            } else if (seen.add(edge.by())) {
                open.add(further);
            }
        }
        return Optional.empty();
    }
}
