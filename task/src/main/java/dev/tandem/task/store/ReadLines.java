package dev.tandem.task.store;

import dev.tandem.task.store.StoreRequest.Move;
import java.util.List;

/**
 * Reads the next tasks of lines, out of which the owner takes them when it is their tenants' turn ({@link Move.JoinLine}). They
 * stay there until they are claimed.
 *
 * @param lines what is read of which lines
 * @param findFrom lines from this one on that have tasks are named, too; {@link #FIND_NONE} to name none
 */
public record ReadLines(RequestHeader header, List<LineRead> lines, int findFrom) implements StoreRequest.OwnerRequest {

    /** How many lines there are, numbered from 0 on. Tenants may share one. */
    public static final int LINES = 1 << 16;

    public static final int FIND_NONE = -1;

    /** How many lines one answer names at most. */
    public static final int MAX_FOUND = 100;

    /**
     * What is read of one line: at most so many tasks.
     *
     * @param after the place of the last task that was read before; {@link #FRONT} to begin with the first
     */
    public record LineRead(int line, long after, int most) {
        public static final long FRONT = 0;
    }
}
