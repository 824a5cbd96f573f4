package dev.tandem.ordering;

import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A key, or a tenant, of which records were passed over. */
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
    /** Whether it is a tenant. Otherwise it is a key. */
    final boolean isTenant;

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

    /** The tenant that all records of this key wait for. They are read again with those of the tenant. */
    private @Nullable OverflowKey readWith;
    /** The tenant that the first record of this key waits for. The key is read again once the tenant has come past that. */
    private @Nullable OverflowKey behind;
    /** Whether nothing of it is passed over any more. */
    private boolean over;

    OverflowKey(String name, long offset) {
        this(name, offset, false);
    }

    /** Makes a tenant of which this record is the first that is passed over. */
    static OverflowKey ofTenant(String name, long offset) {
        return new OverflowKey(name, offset, true);
    }

    private OverflowKey(String name, long offset, boolean isTenant) {
        this.name = name;
        this.isTenant = isTenant;
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

    /** Reads again up to this offset at least. */
    void reaches(long offset) {
        last = Math.max(last, offset);
    }

    // ---- keys and tenants

    boolean isOver() {
        return over;
    }

    void over() {
        over = true;
    }

    @Nullable
    OverflowKey readWith() {
        return readWith;
    }

    void readWith(@Nullable OverflowKey tenant) {
        readWith = tenant;
    }

    void waitsBehind(@Nullable OverflowKey tenant) {
        behind = tenant;
    }

    /** Whether the key can be read again by itself, as far as tenants are concerned. */
    boolean isReadAlone() {
        boolean waits = behind != null && !behind.over && behind.from() <= from();
        return readWith == null && !waits;
    }

    // ---- how much is read again at once

    int atOnce() {
        return atOnce;
    }

    void atOnce(int tasks) {
        atOnce = tasks;
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
