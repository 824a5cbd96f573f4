package dev.tandem.verify.check;

import java.util.List;
import java.util.Map;

/**
 * What was counted and measured. Durations are nanoseconds; lists are in no order.
 *
 * @param published acknowledged tasks
 * @param unsure tasks that the broker did not acknowledge
 * @param runs starts of handlers
 * @param succeeded acknowledged tasks that succeeded
 * @param dead tasks that the store keeps as dead
 * @param held tasks that rest in the store at the end, behind a dead one of their key
 * @param interrupted runs that a fault cut off, and that were made up for
 * @param duplicates successes that were followed by another run, by what explains them
 * @param rounds injections of faults
 * @param hits those that met something
 * @param recoveries of each run that a fault cut off, from the fault's beginning until the task ran again; where no
 *     process was the target, from the fault's end until the first start
 * @param longestWait of tasks of well keys, published from a fault's beginning to a lease after its end, from
 *     publishing to start; 0 if there were none
 * @param waitP99 of tasks of well keys that were published while nothing was wrong; -1 if there were none
 * @param lag the most that the oldest uncommitted task was old while nothing was wrong; -1 if that is not known
 */
public record TrialStatistics(
        long published,
        long unsure,
        long runs,
        long succeeded,
        long dead,
        long held,
        long interrupted,
        Map<String, Long> duplicates,
        long rounds,
        long hits,
        List<Long> recoveries,
        long longestWait,
        long waitP99,
        long lag) {

    public TrialStatistics {
        duplicates = Map.copyOf(duplicates);
        recoveries = List.copyOf(recoveries);
    }

    /** All of them. */
    public long duplicated() {
        return duplicates.values().stream().mapToLong(Long::longValue).sum();
    }
}
