package dev.tandem.scheduler;

import dev.tandem.task.BusinessId;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.WaitRequest.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * What Redis knows of a task that another one may wait for.
 *
 * @param on its business id
 * @param state what it does; null if nothing is known of it
 * @param partition its partition; null if nothing is known of it
 * @param position its position; null if nothing is known of it
 * @param id its id, for people; empty if nothing is known of it
 * @param since since when the other task waits for it, in epoch milliseconds; 0 if that has not asked yet
 * @param over whether the other task need not wait for it any more
 * @param waiting how many tasks wait for it, those included that need not any more and have not ended
 */
public record AwaitedView(
        BusinessId on,
        DedupKeyView.@Nullable Bearer state,
        @Nullable Partition partition,
        @Nullable Position position,
        String id,
        long since,
        boolean over,
        long waiting) {

    /** Returns where the task is; null if nothing is known of it. */
    @Nullable
    Waiter bearer() {
        return partition == null || position == null ? null : new Waiter(partition, position);
    }

    /** Returns whether the other task waits for this one, of which nothing is known. */
    boolean isMissed() {
        return since > 0 && !over && state == null;
    }

    /** Returns whether the other task waits for this one, which has not ended. */
    boolean holdsUp() {
        return since > 0 && !over && (state == DedupKeyView.Bearer.WAITS || state == DedupKeyView.Bearer.BEGUN);
    }
}
