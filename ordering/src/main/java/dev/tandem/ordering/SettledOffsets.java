package dev.tandem.ordering;

import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.SettledChunk;
import java.util.HashMap;
import java.util.Map;

/** Offsets that have a bit in the store, as the last acquire said. */
final class SettledOffsets {

    private final Map<Long, SettledChunk> chunks = new HashMap<>();

    void acquired(StoreAnswer.Acquired acquired) {
        chunks.clear();
        acquired.chunks().forEach(chunk -> chunks.put(chunk.index(), chunk));
    }

    boolean has(long offset) {
        SettledChunk chunk = chunks.isEmpty() ? null : chunks.get(offset / SettledChunk.BITS);
        return chunk != null && chunk.has(offset);
    }

    void clear() {
        chunks.clear();
    }
}
