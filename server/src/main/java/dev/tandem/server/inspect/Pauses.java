package dev.tandem.server.inspect;

import dev.tandem.server.words.Sentence;
import dev.tandem.task.PutAside;
import dev.tandem.task.Task;
import dev.tandem.task.TaskState;
import dev.tandem.task.WaitReason;
import dev.tandem.task.store.PausedTasks;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The pauses of a queue that operators have made.
 *
 * @param queue whether that is the whole queue
 * @param tasks the types and keys of which no task starts
 * @param untyped the type of tasks that name none; null if they have none
 */
public record Pauses(
        boolean queue, PausedTasks tasks, @Nullable String untyped) {

    /** No pause, or none that is known. */
    public static final Pauses NONE = new Pauses(false, PausedTasks.NONE, null);

    /** The reason to wait of a task that Redis keeps without a time. */
    private static final Sentence TENANT = Sentence.of("waiting.tenant");

    /** The thing that is paused. */
    public enum Kind {
        QUEUE,
        TYPE,
        KEY
    }

    /** The pause that keeps a task from starting. @param name that of the type or the key; empty for the queue */
    public record Pause(Kind kind, String name) {

        private static final Pause OF_QUEUE = new Pause(Kind.QUEUE, "");

        private Sentence sentence() {
            return switch (kind) {
                case QUEUE -> Sentence.of("waiting.paused-queue");
                case TYPE -> Sentence.of("waiting.paused-type", name);
                case KEY -> Sentence.of("waiting.paused-key", name);
            };
        }
    }

    /** Reads them. @param untyped as for {@link Pauses} */
    public static Pauses of(Inspection inspection, String queue, @Nullable String untyped) {
        return new Pauses(inspection.isPaused(queue), inspection.pausedTasks(queue), untyped);
    }

    /** Returns what keeps a task from starting that might start otherwise; null if nothing does. @param type null if it names none */
    public @Nullable Pause of(@Nullable String type, @Nullable String key) {
        if (queue) {
            return Pause.OF_QUEUE;
        }
        String its = type == null ? untyped : type;
        if (its != null && tasks.types().contains(its)) {
            return new Pause(Kind.TYPE, its);
        }
        return key != null && tasks.keys().contains(key) ? new Pause(Kind.KEY, key) : null;
    }

    /** Returns the same of a stored task: null too if it waits for its time. @param at when it is due; null for now */
    public @Nullable Pause ofStored(
            @Nullable String type, @Nullable String key, @Nullable Instant at, boolean putAside, Instant now) {
        return putAside || at == null || !at.isAfter(now) ? of(type, key) : null;
    }

    /** Returns what a task waits for beside its time, or beside the end of the one before it, null if that is nothing. */
    public @Nullable Sentence waitsFor(TaskInfo info, Instant now) {
        boolean isStored = info.state() == TaskState.SCHEDULED || info.state() == TaskState.RETRY;
        if (info.envelope() == null || !isStored) {
            WaitReason inMemory = info.held() == null ? null : info.held().waitsFor();
            return sentence(inMemory != null && queue ? Pause.OF_QUEUE : null, inMemory);
        }
        Task task = info.envelope().task();
        Pause pause = ofStored(task.type(), task.key(), info.at(), PutAside.isMarked(task), now);
        if (pause == null && info.state() == TaskState.SCHEDULED && info.at() == null) {
            return TENANT;
        }
        return sentence(pause, WaitReason.of(task));
    }

    private static @Nullable Sentence sentence(@Nullable Pause pause, @Nullable WaitReason reason) {
        return pause != null ? pause.sentence() : reason != null ? WaitSentences.of(reason) : null;
    }
}
