package dev.tandem.scheduler;

import dev.tandem.task.BusinessId;
import dev.tandem.task.store.WaitRequest.Waiter;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Looks whether a task waits for itself: by the tasks that it waits for, by those that these wait for, and so on, and by the
 * heads of the keys behind which they wait. If that way ends at a task that has not come, that may be the final task of a
 * fan-out. So the search then goes the other way, from the task to those that it holds up, and looks for a subtask of that
 * fan-out among them. Of the tasks of a cycle, the one that began to wait last has closed it. Looks at so many tasks each way at
 * most that a search costs little; a longer cycle ends when the time of its tasks is over.
 */
final class WaitCycle {

    static final int MAX_TASKS = 64;

    /** Which tasks hold up which others. */
    interface Graph {

        /** Returns what holds a task up. */
        CompletableFuture<List<Edge>> edgesOf(Waiter task);

        /** Returns what a task holds up. */
        CompletableFuture<HeldUp> heldUpBy(Waiter task);
    }

    /**
     * Why a task is held up.
     *
     * @param by the task that holds it up; null if that has not come
     * @param on its business id; null if the other one is parked behind it
     * @param name its name, for people
     * @param since since when the other one waits for it, in epoch milliseconds; 0 if it is parked behind it
     */
    record Edge(@Nullable Waiter by, @Nullable BusinessId on, String name, long since) {

        static Edge behindHead(Waiter head) {
            return new Edge(head, null, nameOfHead(head), 0);
        }
    }

    /** A fan-out that has not ended, and so holds up who waits for its final task. @param on the business id of that */
    record FanOutOf(BusinessId on, String id) {

        private String text() {
            return ", the final task of fan-out " + id;
        }
    }

    /**
     * A task that another one holds up.
     *
     * @param fanOut the one whose final task it waits for; null if it waits for the other task itself
     * @param name what it waits for, for people
     * @param since since when, in epoch milliseconds; 0 if it is parked behind it
     */
    record Held(Waiter task, @Nullable FanOutOf fanOut, String name, long since) {}

    /**
     * What a task holds up.
     *
     * @param name its own name, for people
     * @param fanOuts those whose final tasks cannot come before it has ended
     */
    record HeldUp(String name, List<FanOutOf> fanOuts, List<Held> tasks) {

        static final HeldUp NOTHING = new HeldUp("", List.of(), List.of());
    }

    /** The task that began to wait last, of some. @param since since when; 0 if none waits */
    private record Latest(Waiter task, long since) {

        Latest or(Waiter other, long otherSince) {
            boolean later = otherSince > since || otherSince == since && BY_PLACE.compare(other, task) > 0;
            return otherSince > 0 && later ? new Latest(other, otherSince) : this;
        }
    }

    /** A way from the start to a task, or back. */
    private record Path(Waiter end, String text, Latest latest) {}

    /** Which of two tasks has closed the cycle, if both began to wait in the same millisecond. */
    private static final Comparator<Waiter> BY_PLACE = Comparator.comparing(
                    (Waiter each) -> each.partition().toString())
            .thenComparing(each -> each.position().text());

    private final Waiter start;
    private final String name;
    private final Graph graph;
    private final Deque<Path> open = new ArrayDeque<>();
    private final Set<Waiter> seen = new HashSet<>();
    /** The ways that end at tasks which have not come. */
    private final Map<BusinessId, Path> missing = new HashMap<>();

    /** @param name the name of the start, for people */
    WaitCycle(Waiter start, String name, Graph graph) {
        this.start = start;
        this.name = name;
        this.graph = graph;
    }

    static String nameOfHead(Waiter head) {
        return "@" + head.partition().name() + "/" + head.position() + ", the head of its key";
    }

    /** Returns the cycle that the start has closed, for people; empty if there is none. */
    CompletableFuture<Optional<String>> find() {
        open.add(new Path(start, name, new Latest(start, 0)));
        return next().thenCompose(found -> found.isPresent() || missing.isEmpty() ? done(found) : findBackwards());
    }

    private static CompletableFuture<Optional<String>> done(Optional<String> found) {
        return CompletableFuture.completedFuture(found);
    }

    // ---- from a task to those that hold it up

    private CompletableFuture<Optional<String>> next() {
        Path path = open.poll();
        if (path == null || seen.size() > MAX_TASKS) {
            return done(Optional.empty());
        }
        return graph.edgesOf(path.end()).thenCompose(edges -> {
            Optional<String> found = follow(path, edges);
            return found.isPresent() ? done(found) : next();
        });
    }

    /** Goes on from the end of a way. @return the cycle, if it is one that the start has closed */
    private Optional<String> follow(Path path, List<Edge> edges) {
        for (Edge edge : edges) {
            Waiter by = edge.by();
            Path further = new Path(
                    by == null ? path.end() : by,
                    path.text() + " -> " + edge.name(),
                    path.latest().or(path.end(), edge.since()));
            if (by == null) {
                if (edge.on() != null) {
                    missing.putIfAbsent(edge.on(), further);
                }
            } else if (by.equals(start)) {
                if (further.latest().task().equals(start)) {
                    return Optional.of(further.text());
                }
            } else if (seen.add(by)) {
                open.add(further);
            }
        }
        return Optional.empty();
    }

    // ---- from a task to those that it holds up

    private CompletableFuture<Optional<String>> findBackwards() {
        open.clear();
        seen.clear();
        open.add(new Path(start, "", new Latest(start, 0)));
        return nextBackwards();
    }

    private CompletableFuture<Optional<String>> nextBackwards() {
        Path path = open.poll();
        if (path == null || seen.size() > MAX_TASKS) {
            return done(Optional.empty());
        }
        return graph.heldUpBy(path.end()).thenCompose(held -> {
            Optional<String> found = goBack(path, held);
            return found.isPresent() ? done(found) : nextBackwards();
        });
    }

    private Optional<String> goBack(Path path, HeldUp held) {
        String itsName = path.end().equals(start) ? name : held.name();
        for (FanOutOf fanOut : held.fanOuts()) {
            Path there = missing.get(fanOut.on());
            if (there != null
                    && path.latest()
                            .or(there.latest().task(), there.latest().since())
                            .task()
                            .equals(start)) {
                return Optional.of(there.text() + fanOut.text() + " -> " + itsName + path.text());
            }
        }
        for (Held each : held.tasks()) {
            FanOutOf fanOut = each.fanOut();
            String way = each.name() + (fanOut == null ? "" : fanOut.text() + " -> " + itsName);
            if (!each.task().equals(start) && seen.add(each.task())) {
                open.add(new Path(
                        each.task(), " -> " + way + path.text(), path.latest().or(each.task(), each.since())));
            }
        }
        return Optional.empty();
    }
}
