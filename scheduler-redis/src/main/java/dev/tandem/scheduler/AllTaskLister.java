package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
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

    /** Lists tasks of these partitions. @throws IllegalArgumentException if no page returned the cursor */
    CompletableFuture<ResultPage<TaskView>> page(List<Partition> partitions, @Nullable String cursor, int limit) {
        if (cursor == null) {
            return page(partitions, 0, null, limit, new ArrayList<>());
        }
        for (Stage stage : STAGES) {
            if (cursor.startsWith(stage.cursor(null))) {
                String inner = cursor.substring(stage.cursor(null).length());
                return page(partitions, stage.ordinal(), inner.isEmpty() ? null : inner, limit, new ArrayList<>());
            }
        }
        throw TaskCursor.unknown(cursor);
    }

    private CompletableFuture<ResultPage<TaskView>> page(
            List<Partition> partitions, int at, @Nullable String inner, int limit, List<TaskView> found) {
        if (at == STAGES.length) {
            return CompletableFuture.completedFuture(new ResultPage<>(found, null));
        } else if (found.size() >= limit) {
            return CompletableFuture.completedFuture(new ResultPage<>(found, STAGES[at].cursor(null)));
        }
        Stage stage = STAGES[at];
        int most = limit - found.size();
        CompletableFuture<ResultPage<TaskView>> part = stage.state == null
                ? due.page(partitions, inner, most)
                : inspector.tasks(partitions, stage.state, inner, most);
        return part.thenCompose(page -> {
            found.addAll(page.items());
            return page.next() == null
                    ? page(partitions, at + 1, null, limit, found)
                    : CompletableFuture.completedFuture(new ResultPage<>(found, stage.cursor(page.next())));
        });
    }
}
