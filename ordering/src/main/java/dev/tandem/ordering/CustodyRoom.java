package dev.tandem.ordering;

import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRoom;

/**
 * Whether the store may take custody of more tasks of one partition. It may not while its memory is short, nor while it
 * holds as many of them as the bounds allow. Every renewal brings the exact count, and few of them an estimate of the bytes;
 * in between, the changes are counted here.
 */
final class CustodyRoom {

    private final CustodyBounds bounds;
    private StoreRoom store = StoreRoom.HALF;
    private long tasks;
    private long bytes;

    CustodyRoom(CustodyBounds bounds) {
        this.bounds = bounds;
    }

    /** Notes how much memory the store has for more. */
    void store(StoreRoom room) {
        store = room;
    }

    void counted(StoreAnswer.Custody custody) {
        if (custody.bytes() == StoreAnswer.Custody.NOT_ESTIMATED) {
            // Late outcomes and operators change the count too. What they changed is taken to be of average size.
            bytes = tasks == 0 ? 0 : Math.round((double) bytes / tasks * custody.tasks());
        } else {
            bytes = custody.bytes();
        }
        tasks = custody.tasks();
    }

    /** The store took custody of a task. */
    void taken(TaskEntry entry) {
        tasks++;
        bytes += entry.weight();
    }

    /** A task of which the store had custody has ended. */
    void ended(TaskEntry entry) {
        tasks = Math.max(0, tasks - 1);
        bytes = Math.max(0, bytes - entry.weight());
    }

    /** Whether less than half of the room is taken, here and of the store's memory. */
    boolean isHalfLeft() {
        return store.isHalfLeft() && 2 * tasks < bounds.maxTasks() && 2 * bytes < bounds.maxBytes();
    }

    boolean isLeft() {
        return store.isLeft() && tasks < bounds.maxTasks() && bytes < bounds.maxBytes();
    }
}
