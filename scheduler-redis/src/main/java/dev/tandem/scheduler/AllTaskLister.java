package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Lists tasks in all states: those that run, those that wait for their time (by due time), those that are parked, the dead
 * and the succeeded. Thread-safe.
 */
final class AllTaskLister {

    /** A part of the list. The name begins the cursors of its pages. */
    private enum Stage {
        ACTIVE(TaskState.ACTIVE),
        DUE(null),
        PARKED(TaskState.PARKED),
        DEAD(TaskState.DEAD),
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

    private final Inspector inspector;
    private final DueTaskLister due;

    AllTaskLister(Inspector inspector, DueTaskLister due) {
        this.inspector = inspector;
        this.due = due;
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
            return page(request, 0, null);
        }
        for (Stage stage : STAGES) {
            if (cursor.startsWith(stage.cursor(null))) {
                String inner = cursor.substring(stage.cursor(null).length());
                return page(request, stage.ordinal(), inner.isEmpty() ? null : inner);
            }
        }
        throw TaskCursor.unknown(cursor);
    }

    /** What is asked for, and found so far. */
    private record Request(
            List<Partition> partitions,
            int limit,
            @Nullable Predicate<TaskView> chosen,
            ReadBudget budget,
            List<TaskView> found) {}

    private CompletableFuture<ResultPage<TaskView>> page(Request request, int at, @Nullable String inner) {
        Stage stage = STAGES[at];
        int most = request.limit() - request.found().size();
        CompletableFuture<ResultPage<TaskView>> part = stage.state == null
                ? due.page(request.partitions(), inner, most, request.chosen(), request.budget())
                : inspector.tasks(request.partitions(), stage.state, inner, most, request.budget());
        return part.thenCompose(page -> {
            page.items().stream()
                    .filter(task -> request.chosen() == null || request.chosen().test(task))
                    .forEach(request.found()::add);
            String next = page.next() == null ? null : stage.cursor(page.next());
            if (next == null && at + 1 < STAGES.length) {
                if (request.found().size() < request.limit()
                        && !request.budget().isSpent()) {
                    return page(request, at + 1, null);
                }
                next = STAGES[at + 1].cursor(null);
            }
            return CompletableFuture.completedFuture(new ResultPage<>(request.found(), next));
        });
    }
}
