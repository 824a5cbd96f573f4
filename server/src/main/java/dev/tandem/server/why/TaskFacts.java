package dev.tandem.server.why;

import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.task.AttemptRecord;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.UnhandledSince;
import dev.tandem.task.WaitReason;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * One task, as far as it matters for what it waits for.
 *
 * @param name its id
 * @param at when it is due, or when its run began; null if unknown
 * @param attempts its starts so far, one that runs included
 * @param executor the executor that runs it; null if none does
 * @param error of its last attempt; null if there was none
 * @param waitsFor what it was put back for; null if for nothing
 * @param unhandled whether it was put back because its executor has no handler for it
 * @param putAside whether it was put back because its type or its key is paused
 * @param suspect whether the executors of its last two attempts died
 * @param halts whether it is dead, and its key waits for a decision
 * @param meanMillis how long its attempts took, on average; negative if unknown
 */
public record TaskFacts(
        TaskRef ref,
        String name,
        TaskState state,
        @Nullable Instant at,
        @Nullable String key,
        @Nullable String type,
        int attempts,
        @Nullable String executor,
        @Nullable String error,
        @Nullable WaitReason waitsFor,
        boolean unhandled,
        boolean putAside,
        boolean suspect,
        boolean halts,
        double meanMillis) {

    private static final int SUSPECT_AFTER = 2;

    /**
     * Takes what matters.
     *
     * @param type its type, or that of tasks that name none; null if there is none
     * @param error of its last attempt, as far as it may be shown
     */
    public static TaskFacts of(TaskInfo info, String name, @Nullable String type, @Nullable String error) {
        Task task = info.envelope() == null ? null : info.envelope().task();
        int counted = info.envelope() == null ? 0 : info.envelope().attempts();
        int lapses = info.attempts() - counted - (info.state() == TaskState.ACTIVE ? 1 : 0);
        return new TaskFacts(
                info.ref(),
                name,
                info.state(),
                info.at(),
                info.key(),
                type,
                info.attempts(),
                info.executor(),
                error,
                task == null ? null : WaitReason.of(task),
                task != null && UnhandledSince.of(task) != UnhandledSince.NEVER,
                task != null && PutAside.isMarked(task),
                lapses >= SUSPECT_AFTER,
                info.halts(),
                mean(info.history()));
    }

    private static double mean(List<AttemptRecord> history) {
        OptionalDouble mean = history.stream()
                .filter(each -> each.startedAt() > 0)
                .mapToLong(AttemptRecord::durationMillis)
                .average();
        return mean.orElse(-1);
    }
}
