package dev.tandem.ordering;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Offsets of a log that blocked keys wait for. If the log lost its last records, they may be beyond its end, and nothing
 * tells that before another record is published. So while no delivery comes, the source is asked where the log ends.
 */
final class AwaitedOffsets {

    private static final long NEVER = PartitionState.NEVER;

    private final TreeMap<Long, String> keys = new TreeMap<>();
    private final long askMillis;
    private long askAt = NEVER;

    /** @param askMillis how long no delivery comes before the source is asked, and asked again */
    AwaitedOffsets(long askMillis) {
        this.askMillis = askMillis;
    }

    void put(long offset, String key) {
        keys.put(offset, key);
    }

    /** Returns the key that waits for this offset, and forgets it; null if none does. */
    @Nullable
    String remove(long offset) {
        return keys.remove(offset);
    }

    boolean isEmpty() {
        return keys.isEmpty();
    }

    boolean isAnyBelow(long offset) {
        return !keys.isEmpty() && keys.firstKey() < offset;
    }

    boolean isAnyFrom(long offset) {
        return !keys.isEmpty() && keys.lastKey() >= offset;
    }

    Map.Entry<Long, String> takeFirst() {
        return keys.pollFirstEntry();
    }

    void clear() {
        keys.clear();
    }

    /** Notes that records came, so that more may follow. */
    void delivered() {
        askAt = NEVER;
    }

    /** Returns whether to ask where the log ends. */
    boolean askNow(long now) {
        if (keys.isEmpty()) {
            askAt = NEVER;
            return false;
        }
        boolean ask = now >= askAt;
        askAt = ask || askAt == NEVER ? now + askMillis : askAt;
        return ask;
    }

    long nextTurn() {
        return keys.isEmpty() ? NEVER : askAt;
    }
}
