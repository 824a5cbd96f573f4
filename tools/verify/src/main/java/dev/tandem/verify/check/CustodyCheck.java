package dev.tandem.verify.check;

import dev.tandem.verify.record.Event.Audit;
import dev.tandem.verify.record.Event.Published;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Guarantee 1 as it goes on: whenever the broker was asked what is committed and the store, after that, what it holds,
 * each task below a committed offset had succeeded by then, or the store had it. A store that had forgotten what it took
 * over would show here.
 */
final class CustodyCheck {

    private CustodyCheck() {}

    static void judge(History history, CheckerSettings bounds, Findings sheet) {
        if (!bounds.log()) {
            sheet.omit(CheckerRule.CUSTODY, "the broker keeps no offsets, and who acked what can't be seen");
            return;
        }
        Map<Integer, TreeMap<Long, TaskHistory>> logs = new HashMap<>();
        for (TaskHistory task : history.tasks.values()) {
            Published published = task.published;
            if (published != null && published.partition() >= 0) {
                logs.computeIfAbsent(published.partition(), p -> new TreeMap<>())
                        .put(published.sequence(), task);
            }
        }
        // What had ended by an audit has ended by the next.
        Map<Integer, TreeMap<Long, TaskHistory>> open = new HashMap<>();
        logs.forEach((partition, log) -> open.put(partition, new TreeMap<>(log)));
        List<Long> before = List.of();
        Set<String> told = new HashSet<>();
        for (Audit audit : history.audits) {
            Set<String> held = new HashSet<>(audit.held());
            held.addAll(audit.dead());
            for (int partition = 0; partition < audit.committed().size(); partition++) {
                long upTo = audit.committed().get(partition);
                if (partition < before.size() && upTo < before.get(partition)) {
                    sheet.broken(
                            CheckerRule.CUSTODY,
                            audit.at(),
                            "the commit of partition " + partition + " fell from " + before.get(partition) + " to "
                                    + upTo);
                }
                TreeMap<Long, TaskHistory> unended = open.getOrDefault(partition, new TreeMap<>());
                Iterator<TaskHistory> below = unended.headMap(upTo).values().iterator();
                while (below.hasNext()) {
                    TaskHistory task = below.next();
                    sheet.looked(CheckerRule.CUSTODY);
                    if (endedBy(task, audit.at())) {
                        below.remove();
                    } else if (!held.contains(task.id) && told.add(task.id)) {
                        sheet.broken(
                                CheckerRule.CUSTODY,
                                audit.at(),
                                task.id + " lies below the committed offset " + upTo + " of partition " + partition
                                        + ", but had not ended and the store did not have it; its runs: " + task.runs);
                    }
                }
            }
            before = audit.committed().isEmpty() ? before : audit.committed();
        }
    }

    private static boolean endedBy(TaskHistory task, long at) {
        return task.runs.stream().anyMatch(run -> run.succeeded() && run.end <= at);
    }
}
