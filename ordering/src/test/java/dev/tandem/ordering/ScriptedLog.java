package dev.tandem.ordering;

import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A log of which a test delivers records, so that they can be read again. */
final class ScriptedLog {

    private final Map<Long, Delivery> records = new HashMap<>();
    private final List<Runnable> onTheirWay = new ArrayList<>();
    private boolean fails;
    private boolean stalls;

    Delivery delivered(Delivery record) {
        records.put(record.sequence(), record);
        return record;
    }

    void fails(boolean now) {
        fails = now;
    }

    void stalls(boolean now) {
        stalls = now;
        onTheirWay.forEach(Runnable::run);
        onTheirWay.clear();
    }

    /** Adds the answer to {@code answers}, unless answers stall. */
    void recall(QueueCore core, Partition of, Recall recall, Collection<Runnable> answers) {
        if (fails) {
            answers.add(() -> core.recallFailed(of, recall.id()));
            return;
        }
        List<Delivery> found = new ArrayList<>();
        long at = recall.from();
        for (; at < recall.upTo() && found.size() < recall.maxTasks(); at++) {
            Delivery record = records.get(at);
            if (record != null && recall.wants(at) && recall.wants(record.task())) {
                found.add(record);
            }
        }
        long next = at;
        (stalls ? onTheirWay : answers).add(() -> core.recalled(of, recall.id(), found, next));
    }
}
