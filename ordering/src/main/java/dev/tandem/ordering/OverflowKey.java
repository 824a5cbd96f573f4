package dev.tandem.ordering;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A key of which records were passed over. */
final class OverflowKey {

    /** How many tasks of a key are read again at once: few at first, more as long as there is room for all of them. */
    private static final int MIN_RECALLED = 4;

    private static final int MAX_RECALLED = 1_024;

    /** Keys of which all below the same offset was read again. To move that offset costs the same for any number of them. */
    static final class Group {
        long from;
        final Set<OverflowKey> keys = new LinkedHashSet<>();

        Group(long from) {
            this.from = from;
        }
    }

    final String name;

    /** The group that the next recall reads for it. Changed by {@link RecallGroups} only. */
    @Nullable
    Group group;

    /** No record below it is passed over. While the key is in a group, that one has it. */
    private long from;
    /** The last record that is passed over. */
    private long last;
    /** When the first of them was published, in epoch milliseconds: at the latest known, or before. */
    private long publishedAt = Long.MAX_VALUE;

    private int atOnce = MIN_RECALLED;
    /** How many records the last recall brought that the lane could take. */
    private int taken;

    OverflowKey(String name, long offset) {
        this.name = name;
        this.from = offset;
        this.last = offset;
    }

    long from() {
        return group == null ? from : group.from;
    }

    /** Sets the offset of a key that is in no group. */
    void from(long offset) {
        from = offset;
    }

    long last() {
        return last;
    }

    long publishedAt() {
        return publishedAt;
    }

    void passedOver(long offset, long published) {
        last = Math.max(last, offset);
        publishedAt = Math.min(publishedAt, published);
    }

    // ---- how much is read again at once

    int atOnce() {
        return atOnce;
    }

    boolean mayTake() {
        return taken < atOnce;
    }

    void took(long published) {
        taken++;
        publishedAt = published;
    }

    /** Ends a recall that brought records of the key: the next one may bring more. */
    void tookAll() {
        taken = 0;
        atOnce = Math.min(MAX_RECALLED, 2 * atOnce);
    }

    /** The store had no room for what was read again. */
    void hadNoRoom() {
        atOnce = MIN_RECALLED;
    }

    @Override
    public String toString() {
        return name + " from " + from() + " to " + last;
    }
}
