package dev.tandem.ordering;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One partition of a simulated topic: its log, and what the consumer group has committed. */
final class SimTopic {
    private int created = 1;
    List<@Nullable SimTask> log = new ArrayList<>();
    /** The last log of each topic of this name. */
    final Map<String, List<@Nullable SimTask>> logs = new LinkedHashMap<>();

    long start;
    long committed = -1;
    /** Commits of before a cut may arrive after those of after it. */
    boolean wasCut;

    /** The log whose leader epochs were committed; null: none were. */
    @Nullable
    List<@Nullable SimTask> committedLog;

    SimTopic() {
        logs.put(id(), log);
    }

    String id() {
        return "topic-" + created;
    }

    void recreate() {
        created++;
        become(new ArrayList<>());
        start = 0;
        forget();
        committedLog = null;
    }

    /** Deletes the group's offsets. No history has a cut that comes together with that, which nobody would notice. */
    void forget() {
        committed = -1;
    }

    /** Loses the records from an offset on. */
    void cut(long at) {
        wasCut = true;
        log.subList((int) at, log.size()).forEach(lost -> {
            if (lost != null) {
                lost.recordGone = true;
            }
        });
        become(new ArrayList<>(log.subList(0, (int) at)));
    }

    private void become(List<@Nullable SimTask> other) {
        log = other;
        logs.put(id(), log);
    }
}
