package dev.tandem.ordering;

import org.jspecify.annotations.Nullable;

/** A key of which records were passed over. */
final class OverflowKey {

    /** How many tasks of a key are read again at once: few at first, more as long as there is room for all of them. */
    private static final int MIN_RECALLED = 4;

    static final int MAX_RECALLED = 1_024;

    /** Keys of which all is read again below the same offset. To move the offset costs the same for any number of them. */
    static final class Group {
        long from;
        final java.util.Set<OverflowKey> keys = new java.util.LinkedHashSet<>();

        Group(long from) {
            this.from = from;
        }
    }

    final String name;
    /** No record below it is passed over. The group of the key has it while it is in one. */
    private long from;

    @Nullable
    Group group;

    /** The last record that is passed over. */
    private long last;
    /** How many records wait, as far as is known: those that Kafka has deleted are counted too. */
    private long records;

    private int atOnce = MIN_RECALLED;
    /** When the first of them was published, in epoch milliseconds: at the latest known, or before. */
    private long publishedAt = Long.MAX_VALUE;

    // What one recall does to the key.
    private long recallId;
    private int taken;
    private boolean stalled;

    OverflowKey(String name, long offset) {
        this.name = name;
        this.from = offset;
        this.last = offset;
    }

    long from() {
        return group == null ? from : group.from;
    }

    /** Sets it of a key without a group. */
    void from(long offset) {
        from = offset;
    }

    long last() {
        return last;
    }

    long publishedAt() {
        return publishedAt;
    }

    int atOnce() {
        return atOnce;
    }

    /** Notes a record that is passed over. @param added whether it was not before */
    void passedOver(long offset, long published, boolean added) {
        last = Math.max(last, offset);
        records += added ? 1 : 0;
        publishedAt = Math.min(publishedAt, published);
    }

    /** The store had no room for what was read again. */
    void beginsAnew() {
        atOnce = MIN_RECALLED;
    }

    /** Whether a record that a recall brought may be taken. If not, none of the key behind it may be. */
    boolean mayTake(long recall) {
        if (recallId != recall) {
            recallId = recall;
            taken = 0;
            stalled = false;
        }
        stalled |= taken >= atOnce;
        return !stalled;
    }

    /** Says that no more of the key may be taken from this recall. */
    boolean isStalled(long recall) {
        return recallId == recall && stalled;
    }

    /** Notes a record that was read again. @return whether it was the last one */
    boolean took(long published) {
        if (taken++ == 0) {
            atOnceNext = Math.min(MAX_RECALLED, 2 * atOnce);
        }
        records--;
        publishedAt = published;
        return records == 0;
    }

    private int atOnceNext = MIN_RECALLED;

    /** The lane had room for all that was taken. */
    void hadRoom() {
        atOnce = Math.max(atOnce, atOnceNext);
    }

    @Override
    public String toString() {
        return name + " from " + from() + " to " + last;
    }
}
