package dev.tandem.task.store;

import dev.tandem.task.Envelope;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.WaitReason;
import org.jspecify.annotations.Nullable;

/**
 * A task that an executor has in its memory, as people see it. The store may know only its claim, or nothing of it.
 *
 * @param executor the executor's id
 * @param envelope the task as the executor has it, without its payload
 * @param running whether its handler runs
 * @param waitsFor what it waits for otherwise; null if its handler runs
 */
public record HeldTask(
        TaskPlace place,
        String executor,
        Envelope envelope,
        boolean running,
        @Nullable WaitReason waitsFor) {}
