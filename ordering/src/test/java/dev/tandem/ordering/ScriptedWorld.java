package dev.tandem.ordering;

import dev.tandem.task.Source;
import dev.tandem.task.store.StoreModel;
import java.util.ArrayList;
import java.util.List;

/** State that the executors of one scripted test share. */
final class ScriptedWorld {
    final StoreModel store = new StoreModel("redis-1");
    final List<CoreScript> alive = new ArrayList<>();
    long now = 1_000;
    long generation;
    long committed;
    long logEnd = Source.Facts.NO_OFFSET;
    long lostFrom = Source.Facts.NO_OFFSET;
    int executors;

    /** Returns what the broker of a log says of a partition. */
    Source.Facts facts() {
        return new Source.Facts(++generation, "topic-1", committed, 0)
                .withLogEnd(logEnd)
                .withLostFrom(lostFrom);
    }

    /** When some executor has something to do without any event. */
    long nextTurn() {
        return alive.stream().mapToLong(CoreScript::nextTurn).min().orElse(Long.MAX_VALUE);
    }
}
