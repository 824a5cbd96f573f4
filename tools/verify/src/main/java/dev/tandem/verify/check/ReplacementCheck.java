package dev.tandem.verify.check;

import dev.tandem.verify.load.ReplacedTasks;
import dev.tandem.verify.record.Event.Acquired;
import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Published;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/** What the modes {@code keep-last} and {@code replace} promise: of the tasks with one deduplication key, the last one runs. */
final class ReplacementCheck {

    /** How long after its publication the store has heard of a task, on a machine that is not busy. */
    private static final long ARRIVAL = TimeUnit.SECONDS.toNanos(1);

    /** How much earlier than by the publisher's clock a task may be due. */
    private static final long DUE_SLACK = TimeUnit.MILLISECONDS.toNanos(100);

    private final History history;
    private final CheckerSettings settings;
    private final Findings findings;

    private ReplacementCheck(History history, CheckerSettings settings, Findings findings) {
        this.history = history;
        this.settings = settings;
        this.findings = findings;
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        ReplacementCheck check = new ReplacementCheck(history, settings, findings);
        Set<String> keys = new TreeSet<>();
        history.tasks.keySet().stream()
                .map(ReplacedTasks::dedupKey)
                .filter(Objects::nonNull)
                .forEach(keys::add);
        keys.forEach(check::checkKey);
    }

    private void checkKey(String key) {
        List<String> ids = ReplacedTasks.ofKey(key);
        List<TaskHistory> copies = ids.stream()
                .map(history.tasks::get)
                .filter(task -> task != null && task.published != null)
                .toList();
        if (copies.size() < 2 || ids.stream().anyMatch(history.unacknowledged::contains)) {
            return;
        }
        TaskHistory last = copies.get(copies.size() - 1);
        long begin = published(copies.get(0)).sentAt();
        if (history.mayHaveLostWrites(begin, last.firstStart())) {
            return;
        }
        checkLastRuns(last);
        for (int i = 0; i < copies.size() - 1; i++) {
            checkReplaced(copies.get(i), copies.get(i + 1));
        }
        if (ReplacedTasks.replaces(key)) {
            checkTime(copies.get(0), last);
        }
    }

    private static Published published(TaskHistory task) {
        return Objects.requireNonNull(task.published);
    }

    /** Whatever happens, the last one runs: nothing replaces it. */
    private void checkLastRuns(TaskHistory last) {
        Audit audit = history.finalAudit();
        boolean hasEnded = audit != null
                && !audit.held().contains(last.id)
                && history.closed != null
                && history.closed.backlog() == 0;
        if (last.firstStart() != Period.NEVER || hasEnded) {
            findings.checked(CheckerRule.REPLACEMENTS);
        }
        if (last.firstStart() == Period.NEVER && hasEnded) {
            findings.violated(
                    CheckerRule.REPLACEMENTS,
                    audit.at(),
                    last.describe() + " is the last one with its deduplication key, but has not run");
        }
    }

    /** One that was replaced does not run, unless it has begun before the store heard of the next one. */
    private void checkReplaced(TaskHistory task, TaskHistory next) {
        long start = task.firstStart();
        long arrived = Math.max(published(next).at(), ownedSince(task)) + ARRIVAL;
        if (!isCalm(published(task).sentAt(), Math.min(start, arrived))) {
            return;
        }
        findings.checked(CheckerRule.REPLACEMENTS);
        if (start != Period.NEVER && start > arrived) {
            findings.violated(
                    CheckerRule.REPLACEMENTS,
                    start,
                    task.describe() + " ran "
                            + ClaimCheck.millis(start - published(next).at()) + " ms after " + next.id
                            + " was published, which replaced it: " + task.describeRuns());
        }
    }

    /** Returns since when the partition had the owner that started a task: none of its messages was delivered to it before. */
    private long ownedSince(TaskHistory task) {
        return task.runs.stream()
                .filter(run -> !run.isStale())
                .min(Comparator.comparingLong(run -> run.start))
                .flatMap(run -> history.ownerships.stream()
                        .filter(owner -> owner.partition() == run.partition && owner.epoch() == run.epoch)
                        .findFirst())
                .map(Acquired::at)
                .orElse(Long.MIN_VALUE);
    }

    /** One that replaces another waits for the time of that. */
    private void checkTime(TaskHistory first, TaskHistory last) {
        long due = published(first).dueAt();
        long start = last.firstStart();
        if (start == Period.NEVER
                || first.firstStart() < start
                || !isCalm(published(first).sentAt(), due)) {
            return;
        }
        findings.checked(CheckerRule.REPLACEMENTS);
        if (start < due - DUE_SLACK) {
            findings.violated(
                    CheckerRule.REPLACEMENTS,
                    start,
                    last.describe() + " started " + ClaimCheck.millis(due - start) + " ms before the time of "
                            + first.id + ", which it replaced: " + last.describeRuns());
        }
    }

    private boolean isCalm(long from, long to) {
        return history.isCalm(from, to, settings.recoveryTime().toNanos());
    }
}
