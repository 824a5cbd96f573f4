package dev.tandem.demo;

import java.util.List;

/**
 * The findings of {@link DemoCheck}.
 *
 * @param tasks how many tasks were published
 * @param succeeded how many of them succeeded
 * @param dead how many died as planned
 * @param waiting how many wait behind a dead task of their key as planned
 * @param retried failed attempts
 * @param lost tasks that neither succeeded nor died as planned
 * @param notHalted keys that are not halted as planned, and tasks that ran although they were to wait
 * @param duplicates surplus successful runs
 * @param duplicatesByKill how many of these the kill explains
 * @param outOfOrder steps that started before an earlier step of their key had ended
 * @param overlaps two runs of one key at the same time
 * @param tokensBack runs whose fencing token was not higher than that of their key's previous run
 * @param mostAtOnce the most tasks of the queue with a limit that ran at once
 * @param early delayed tasks that started before they were due
 * @param lateness how late the delayed tasks first started, in microseconds, sorted
 * @param waitMicros the longest wait of a task without a delay: a slow machine delays all tasks
 */
record DemoVerdict(
        int tasks,
        int succeeded,
        int dead,
        int waiting,
        int retried,
        List<String> lost,
        List<String> notHalted,
        int duplicates,
        int duplicatesByKill,
        List<String> outOfOrder,
        List<String> overlaps,
        List<String> tokensBack,
        int mostAtOnce,
        List<String> early,
        List<Long> lateness,
        long waitMicros) {

    boolean passed() {
        return lost.isEmpty()
                && notHalted.isEmpty()
                && duplicates == duplicatesByKill
                && outOfOrder.isEmpty()
                && overlaps.isEmpty()
                && tokensBack.isEmpty()
                && withinLimit()
                && early.isEmpty()
                && inTime();
    }

    boolean withinLimit() {
        return mostAtOnce <= Firings.MAX_RUNNING;
    }

    boolean inTime() {
        return latestMicros() <= DemoCheck.LATEST_MICROS + waitMicros;
    }

    long latestMicros() {
        return lateness.isEmpty() ? 0 : lateness.get(lateness.size() - 1);
    }
}
