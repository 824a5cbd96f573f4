package dev.tandem.task.store;

import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * A task that an executor has claimed, as the executor itself says. The store may not know its id, type and key.
 *
 * @param id as its handler sees it
 * @param type null if it names none
 * @param key null if it has none
 * @param since when its handler began, or a pull worker got it, in epoch milliseconds; 0 if it waits
 * @param waitsFor what it waits for before that; null if it does not
 * @param worker the pull worker that has it; null if none has
 */
public record RunningTask(
        TaskPlace place,
        String id,
        @Nullable String type,
        @Nullable String key,
        int attempt,
        long since,
        @Nullable WaitReason waitsFor,
        @Nullable Worker worker) {

    /** The most tasks of a queue that an executor tells of. */
    public static final int MOST = 200;

    /**
     * A pull worker that has a task.
     *
     * @param name for people; may be empty
     * @param until when its lease runs out unless it extends it, in epoch milliseconds
     */
    public record Worker(String name, long until) {}
}
