package dev.tandem.verify.check;

import java.util.List;
import java.util.Map;

/**
 * The counts and measurements of a trial. Durations are in nanoseconds.
 *
 * @param published acknowledged tasks
 * @param unacknowledged tasks that the broker did not acknowledge
 * @param runs handler starts
 * @param succeeded acknowledged tasks that succeeded
 * @param dead dead tasks in the store
 * @param held tasks that the store holds at the end behind a dead task of their key
 * @param interrupted runs that a fault cut off and that were repeated
 * @param duplicates runs after a final outcome, counted by what explains them
 * @param rounds injections of faults
 * @param effectiveRounds injections that affected a run, a task or a write
 * @param recoveries for each run that a fault cut off, the time from the fault's beginning to the next start of the
 *     task; for faults without a target process, the time from the fault's end to the next start of any task. In no
 *     order
 * @param longestWait longest time from publishing to start, of tasks whose keys are not stuck and that were published
 *     between a fault's beginning and one lease after its end; 0 if there were none
 * @param waitP99 p99 from publishing to start, of tasks whose keys are not stuck and that were published while no
 *     fault was active; -1 if there were too few
 * @param commitLag the highest age of the oldest uncommitted task while no fault was active; -1 if unknown
 */
public record TrialStatistics(
        long published,
        long unacknowledged,
        long runs,
        long succeeded,
        long dead,
        long held,
        long interrupted,
        Map<String, Long> duplicates,
        long rounds,
        long effectiveRounds,
        List<Long> recoveries,
        long longestWait,
        long waitP99,
        long commitLag) {

    public TrialStatistics {
        duplicates = Map.copyOf(duplicates);
        recoveries = List.copyOf(recoveries);
    }

    /** Returns the number of all duplicates. */
    public long duplicated() {
        return duplicates.values().stream().mapToLong(Long::longValue).sum();
    }
}
