package dev.tandem.verify.check;

import dev.tandem.verify.load.RelatedTasks;
import dev.tandem.verify.load.ReplacedTasks;
import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Published;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Guarantee 1 during the trial: at every audit, each task below a committed offset has succeeded, or the store holds
 * it. The audit asks the broker first, so a store that forgot a task after taking custody of it is noticed here.
 */
final class CustodyCheck {

    private final Findings findings;
    /** By partition and offset. Tasks that have succeeded are removed, since later audits need not look at them. */
    private final Map<Integer, TreeMap<Long, TaskHistory>> unfinished = new HashMap<>();

    private final Set<String> reported = new HashSet<>();

    private CustodyCheck(History history, Findings findings) {
        this.findings = findings;
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            // A copy may end before the one that runs in its place.
            boolean hasCopies = RelatedTasks.copies(task.id).size() > 1 || ReplacedTasks.dedupKey(task.id) != null;
            if (published != null && published.partition() >= 0 && !hasCopies && !history.mayHaveEndedUnseen(task)) {
                unfinished
                        .computeIfAbsent(published.partition(), partition -> new TreeMap<>())
                        .put(published.sequence(), task);
            }
        }
    }

    static void check(History history, CheckerSettings settings, Findings findings) {
        if (!settings.log()) {
            findings.notChecked(CheckerRule.CUSTODY, "the broker keeps no offsets, and who acked what can't be seen");
            return;
        }
        CustodyCheck check = new CustodyCheck(history, findings);
        List<Long> previous = List.of();
        for (Audit audit : history.audits) {
            check.checkAudit(audit, previous);
            previous = audit.committed().isEmpty() ? previous : audit.committed();
        }
    }

    private void checkAudit(Audit audit, List<Long> previous) {
        Set<String> inStore = new HashSet<>(audit.held());
        inStore.addAll(audit.dead());
        for (int partition = 0; partition < audit.committed().size(); partition++) {
            long committed = audit.committed().get(partition);
            if (partition < previous.size() && committed < previous.get(partition)) {
                findings.violated(
                        CheckerRule.CUSTODY,
                        audit.at(),
                        "The committed offset of partition " + partition + " went back from " + previous.get(partition)
                                + " to " + committed);
            }
            checkPartition(audit, partition, committed, inStore);
        }
    }

    private void checkPartition(Audit audit, int partition, long committed, Set<String> inStore) {
        unfinished
                .getOrDefault(partition, new TreeMap<>())
                .headMap(committed)
                .values()
                .removeIf(task -> {
                    findings.checked(CheckerRule.CUSTODY);
                    if (task.succeededBy(audit.at()) || task.endedOtherwiseBy(audit.at())) {
                        return true;
                    }
                    if (!inStore.contains(task.id) && reported.add(task.id)) {
                        findings.violated(
                                CheckerRule.CUSTODY,
                                audit.at(),
                                task.describe() + " is below the committed offset " + committed
                                        + ", but it has not succeeded and the store does not hold it. Its runs: "
                                        + task.describeRuns());
                    }
                    return false;
                });
    }
}
