package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists tasks in all states: those that run, those that wait for their time (by due time), those that are parked, the dead,
 * and those that succeeded, expired or were cancelled. Thread-safe.
 */
final class AllTaskLister {

    /** A part of the list. The name begins the cursors of its pages. */
    private enum Stage {
        ACTIVE(TaskState.ACTIVE),
        DUE(null),
        PARKED(TaskState.PARKED),
        DEAD(TaskState.DEAD),
        /** And those that ended otherwise, which are kept with them. */
        SUCCEEDED(TaskState.SUCCEEDED);

        private final @Nullable TaskState state;

        Stage(@Nullable TaskState state) {
            this.state = state;
        }

        String cursor(@Nullable String inner) {
            return name().toLowerCase(Locale.ROOT) + "." + (inner == null ? "" : inner);
        }
    }

    private static final Stage[] STAGES = Stage.values();
    private static final long MAX_BYTES = 1 << 20;

    private final Inspector inspector;
    private final DueTaskLister due;
    private final EndedTaskLister ended;

    AllTaskLister(Inspector inspector, DueTaskLister due, EndedTaskLister ended) {
        this.inspector = inspector;
        this.due = due;
        this.ended = ended;
    }

    /**
     * Lists tasks of these partitions.
     *
     * @param chosen which tasks; null for all
     * @throws IllegalArgumentException if no page returned the cursor
     */
    CompletableFuture<ResultPage<TaskView>> page(
            List<Partition> partitions,
            @Nullable String cursor,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget) {
        Request request = new Request(partitions, limit, chosen, budget, new ArrayList<>());
        if (cursor == null) {
            return page(request, new StageCursor(0, null), false);
        }
        for (Stage stage : STAGES) {
            if (cursor.startsWith(stage.cursor(null))) {
                String inner = cursor.substring(stage.cursor(null).length());
                return page(request, new StageCursor(stage.ordinal(), inner.isEmpty() ? null : inner), false);
            }
        }
        throw TaskCursor.unknown(cursor);
    }

    /** The tasks that are asked for, and those found so far. */
    private record Request(
            List<Partition> partitions,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget,
            List<TaskView> found) {

        boolean ends() {
            return found.size() >= limit || budget.isSpent() || weight() >= MAX_BYTES;
        }

        private long weight() {
            return found.stream()
                    .mapToLong(task ->
                            task.envelope() == null ? 0 : task.envelope().task().weight())
                    .sum();
        }
    }

    /** Where to go on. @param stage its number */
    private record StageCursor(int stage, @Nullable String inner) {
        String cursor() {
            return STAGES[stage].cursor(inner);
        }
    }

    /** Adds what is at a place, and behind it. @param goesOn whether the request began at a place before it */
    private CompletableFuture<ResultPage<TaskView>> page(Request request, StageCursor place, boolean goesOn) {
        Stage stage = STAGES[place.stage()];
        int most = request.limit() - request.found().size();
        CompletableFuture<ResultPage<TaskView>> part = Futures.begin(() -> part(request, stage, place.inner(), most));
        return part.handle((page, failure) -> {
                    if (failure == null) {
                        return goOn(request, place, page);
                    }
                    // The time is over: what was found is not lost, and the next request begins here.
                    return goesOn && ReadBudget.isSpent(failure)
                            ? CompletableFuture.completedFuture(new ResultPage<>(request.found(), place.cursor()))
                            : CompletableFuture.<ResultPage<TaskView>>failedFuture(failure);
                })
                .thenCompose(Function.identity());
    }

    private CompletableFuture<ResultPage<TaskView>> part(
            Request request, Stage stage, @Nullable String inner, int most) {
        List<Partition> partitions = request.partitions();
        if (stage.state == null) {
            return due.page(partitions, inner, most, request.chosen(), request.budget());
        }
        return stage == Stage.SUCCEEDED
                ? ended.pages(partitions, null, inner, most, request.chosen(), request.budget())
                : inspector.tasks(partitions, stage.state, inner, most, request.chosen(), request.budget());
    }

    private CompletableFuture<ResultPage<TaskView>> goOn(
            Request request, StageCursor place, ResultPage<TaskView> page) {
        request.found().addAll(page.items());
        StageCursor next = page.next() == null
                ? new StageCursor(place.stage() + 1, null)
                : new StageCursor(place.stage(), page.next());
        if (next.stage() == STAGES.length) {
            return CompletableFuture.completedFuture(new ResultPage<>(request.found(), null));
        }
        // A search goes on within a stage, too.
        return request.ends() || page.next() != null && request.chosen() == null
                ? CompletableFuture.completedFuture(new ResultPage<>(request.found(), next.cursor()))
                : page(request, next, true);
    }
}
