package dev.tandem.runtime;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The status of a process at one moment, for health checks and people.
 *
 * @param executor the name under which operators see this process; "" if it runs no tasks
 * @param queues the queues that this process runs, in the order of the settings
 * @param problems what keeps tasks from running. Each begins with the name of the setting that it is about, such as {@code
 *     tandem.queues.orders}
 */
public record TandemStatus(String executor, List<QueueState> queues, List<String> problems) {

    public TandemStatus {
        queues = List.copyOf(queues);
        problems = List.copyOf(problems);
    }

    /** Returns whether tasks of all queues can run. */
    public boolean healthy() {
        return problems.isEmpty();
    }

    /**
     * A queue in this process. Counts begin at the start.
     *
     * @param name the queue's name
     * @param partitions how many of its partitions this process has
     * @param running the number of handlers that run
     * @param succeeded attempts that succeeded
     * @param retried attempts that failed and will be followed by another
     * @param dead tasks that died
     * @param note why fewer tasks start than could although nothing is wrong: an operator has paused the queue, nearly all
     *     attempts fail, or there is no room for more. Null if none is held back
     */
    public record QueueState(
            String name,
            int partitions,
            int running,
            long succeeded,
            long retried,
            long dead,
            @Nullable String note) {}
}
