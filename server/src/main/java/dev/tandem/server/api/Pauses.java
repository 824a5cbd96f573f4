package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Inspection;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.PausedTasks;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What operators have paused of a queue.
 *
 * @param queue whether that is the whole queue
 * @param tasks the types and keys of which no task starts
 */
record Pauses(boolean queue, PausedTasks tasks) {

    private static final String QUEUE = "the queue to be resumed";

    /** Nothing, or it is not known. */
    static final Pauses NONE = new Pauses(false, PausedTasks.NONE);

    static Pauses of(Inspection inspection, String queue) {
        return new Pauses(inspection.isPaused(queue), inspection.pausedTasks(queue));
    }

    /** Returns what a task waits for beside its time, or beside the end of the one before it, in words for people; null if that is nothing. */
    @Nullable
    String waitsFor(QueueSettings settings, TaskInfo info, Instant now) {
        boolean isStored = info.state() == TaskState.SCHEDULED || info.state() == TaskState.RETRY;
        if (info.envelope() == null || !isStored) {
            String inMemory = info.held() == null ? null : info.held().waitsFor();
            return inMemory != null && queue ? QUEUE : inMemory;
        }
        Task task = info.envelope().task();
        boolean isDue = info.at() != null && !info.at().isAfter(now);
        if (isDue && queue) {
            return QUEUE;
        }
        String resumed = isDue || PutAside.isMarked(task) ? toBeResumed(settings, task) : null;
        return resumed == null ? WaitReason.of(task) : resumed;
    }

    private @Nullable String toBeResumed(QueueSettings settings, Task task) {
        String type = task.type() == null ? settings.handler() : task.type();
        if (type != null && tasks.types().contains(type)) {
            return "the type " + type + " to be resumed";
        }
        return task.key() != null && tasks.keys().contains(task.key())
                ? "the key " + task.key() + " to be resumed"
                : null;
    }
}
