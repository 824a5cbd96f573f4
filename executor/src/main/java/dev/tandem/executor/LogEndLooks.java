package dev.tandem.executor;

import dev.tandem.task.Source;
import java.util.ArrayList;
import java.util.List;

/**
 * The ends of a log's partitions, looked up one after another while publishers may still use an earlier count of partitions. A
 * task that lies below the ends of one look was published before the next look began. So all that its publisher had published
 * before it, in whatever partition, lies below the ends of that next look. Immutable.
 *
 * @param looks the ends of all partitions by their numbers, the oldest look first
 */
record LogEndLooks(List<List<Long>> looks) {

    static final LogEndLooks NONE = new LogEndLooks(List.of());

    /** The most looks that are kept. If there are more, every second one is dropped, so some tasks wait for a later look. */
    private static final int MAX_LOOKS = 64;

    LogEndLooks {
        looks = List.copyOf(looks);
    }

    /** Returns the series with one more look, which began a while after the answer of the one before. */
    LogEndLooks with(List<Long> ends) {
        List<List<Long>> next = new ArrayList<>(looks);
        if (next.size() >= MAX_LOOKS) {
            next.clear();
            for (int i = 1; i < looks.size(); i += 2) {
                next.add(looks.get(i));
            }
        }
        next.add(List.copyOf(ends));
        return new LogEndLooks(next);
    }

    /**
     * Returns up to which offset tasks of an earlier partition may have been published before a task.
     *
     * @param partition the task's partition
     * @param offset the task's offset
     * @return {@link Source.Facts#NO_OFFSET} while that is not known
     */
    long endFor(int partition, long offset, int earlier) {
        boolean published = false;
        for (List<Long> look : looks) {
            if (published && earlier < look.size() && look.get(earlier) >= 0) {
                return look.get(earlier);
            }
            published |= partition < look.size() && look.get(partition) > offset;
        }
        return Source.Facts.NO_OFFSET;
    }
}
