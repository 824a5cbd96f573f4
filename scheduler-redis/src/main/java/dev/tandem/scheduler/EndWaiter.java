package dev.tandem.scheduler;

import dev.tandem.task.Task;
import dev.tandem.task.TaskPlace;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for the end of a task. It looks where a message says that the task has ended. Now and then it looks
 * without one: where the task was seen before, else in all partitions. Thread-safe.
 */
final class EndWaiter {

    /** The first looks without a message, in ms. The first one finds what ended before executors had heard who waits. */
    private static final long[] LOOK_AFTER_MILLIS = {250, 2_000, 4_000};

    /** The time between later looks, which find what no message has told. */
    private static final long LOOK_AGAIN_MILLIS = 10_000;

    /** The time from a message that names no task to a look. */
    private static final long LOOK_SOON_MILLIS = 100;

    /** The number of times that a look where a message points may fail. */
    private static final int MAX_FAILURES = 5;

    /** Two show that an id is not of one task only. */
    private static final int ENOUGH = 2;

    private final String queue;
    private final @Nullable String id;
    /** The hashes of its names. */
    private final List<String> hashes;

    private final Inspector inspector;
    private final SearchQueue searches;
    private final StoreThread thread;
    private final CompletableFuture<Optional<TaskView>> end = new CompletableFuture<>();

    // Guarded by this.
    private @Nullable TaskPlace known;
    private @Nullable TaskView seen;
    private boolean looking;
    private boolean looksSoon;
    private boolean looksAgain;
    private int looks;

    /** @param id null if the place is known */
    EndWaiter(
            String queue,
            @Nullable String id,
            @Nullable TaskPlace known,
            Inspector inspector,
            SearchQueue searches,
            StoreThread thread) {
        this.queue = queue;
        this.id = id;
        this.known = known;
        this.inspector = inspector;
        this.searches = searches;
        this.thread = thread;
        this.hashes = (known != null
                        ? Stream.of(known.position().text())
                        : Stream.of(id, EndMessage.defaultNameIn(String.valueOf(id))))
                .filter(name -> name != null)
                .map(EndMessage::hash)
                .distinct()
                .toList();
    }

    List<String> hashes() {
        return hashes;
    }

    String queue() {
        return queue;
    }

    /** Returns the future of the task as it ended. */
    CompletableFuture<Optional<TaskView>> end() {
        return end;
    }

    /** Returns the task as it was seen last; empty if nobody has seen it. */
    synchronized Optional<TaskView> seen() {
        return Optional.ofNullable(seen);
    }

    /** Looks now. @param again whether to look now and then from now on */
    void begin(boolean again) {
        look();
        if (again) {
            lookLater();
        }
    }

    private void lookLater() {
        int count;
        synchronized (this) {
            count = looks++;
        }
        thread.runAfter(count < LOOK_AFTER_MILLIS.length ? LOOK_AFTER_MILLIS[count] : LOOK_AGAIN_MILLIS, () -> {
            if (!end.isDone()) {
                look();
                lookLater();
            }
        });
    }

    /** Looks soon, because the task may be among those that have ended. */
    void lookSoon() {
        synchronized (this) {
            if (looksSoon) {
                return;
            }
            looksSoon = true;
        }
        thread.runAfter(LOOK_SOON_MILLIS, () -> {
            synchronized (this) {
                looksSoon = false;
            }
            look();
        });
    }

    /** Looks where a message says that the task has ended. */
    void lookAtEnd(TaskPlace told) {
        if (mayBeAt(told)) {
            lookAtEnd(told, 0);
        }
    }

    /** Returns whether the task may be at a place: tasks of other partitions have the same positions. */
    private synchronized boolean mayBeAt(TaskPlace told) {
        return id != null || told.equals(known);
    }

    /** Looks a few times more if that fails: a client of a Redis Cluster connects to a node at the first request to it. */
    private void lookAtEnd(TaskPlace told, int failures) {
        if (end.isDone()) {
            return;
        }
        lookAt(told).whenComplete((found, failure) -> {
            if (found != null) {
                note(found);
            } else if (failures < MAX_FAILURES) {
                thread.runAfter(LOOK_SOON_MILLIS << failures, () -> lookAtEnd(told, failures + 1));
            }
        });
    }

    private void look() {
        TaskPlace at;
        synchronized (this) {
            if (end.isDone()) {
                return;
            } else if (looking) {
                looksAgain = true;
                return;
            }
            looking = true;
            at = known;
        }
        (at == null ? search() : lookAt(at)).whenComplete((found, failure) -> looked(at, found));
    }

    private CompletableFuture<List<TaskView>> lookAt(TaskPlace place) {
        return inspector
                .task(place.partition(), place.position())
                .thenApply(found -> found.filter(this::isWanted).stream().toList());
    }

    private CompletableFuture<List<TaskView>> search() {
        return searches.run(() -> end.isDone() || id == null
                ? CompletableFuture.completedFuture(List.<TaskView>of())
                : inspector.tasks(queue, id, ENOUGH));
    }

    /** Returns whether a task has the id. Hashes of others may be the same. */
    private boolean isWanted(TaskView task) {
        if (id == null || task.envelope() == null) {
            return true;
        }
        Task its = task.envelope().task();
        return its.id() != null
                ? its.id().equals(id)
                : EndMessage.defaultName(task.partition(), task.position()).equals(EndMessage.defaultNameIn(id));
    }

    /** @param found null if the look has failed: a later one may not */
    private void looked(@Nullable TaskPlace at, @Nullable List<TaskView> found) {
        if (found != null) {
            note(found);
        }
        boolean again;
        synchronized (this) {
            if (id != null && found != null) {
                // What is gone from its place may be elsewhere.
                known = found.size() == 1 ? placeOf(found.get(0)) : at == null ? known : null;
            }
            looking = false;
            again = looksAgain;
            looksAgain = false;
        }
        if (again) {
            look();
        }
    }

    private void note(List<TaskView> found) {
        Optional<TaskView> ended =
                found.stream().filter(task -> task.state().isFinal()).findFirst();
        if (!found.isEmpty()) {
            synchronized (this) {
                seen = ended.orElse(found.get(0));
            }
        }
        if (ended.isPresent()) {
            end.complete(ended);
        }
    }

    private static TaskPlace placeOf(TaskView task) {
        return new TaskPlace(task.partition(), task.position());
    }
}
