package dev.tandem.rabbit;

import java.io.IOException;
import java.util.BitSet;

/**
 * Acks the settled deliveries of one channel with few commands: one command for all deliveries up to a tag, and single
 * commands for those behind an unsettled one. Both wait a little, so that more deliveries join a command and gaps
 * close.
 *
 * <p>Few commands also protect acks from loss. Each command is an entry in a quorum queue's log. With more than 32 of
 * them under way, RabbitMQ (3.10 to 4.3, {@code rabbit_fifo_client}) holds further acks back in the channel's process,
 * and they are lost if the channel ends.
 *
 * <p>The broker closes a channel that acks a tag twice, so a tag that is added twice is acked once. Used by the loop's
 * thread only.
 */
final class AckBatcher {

    /** Sends one ack command. */
    interface AckSender {
        void ack(long tag, boolean multiple) throws IOException;
    }

    private static final int REBASE_AT = 1 << 16;

    private final int batchSize;
    private final long prefixWaitNanos;
    private final long singlesWaitNanos;

    /** All tags up to this one are acked. */
    private long ackedUpTo;

    /** The settled tags, as their distance from {@link #base}. */
    private final BitSet settled = new BitSet();

    /** The tags that were acked by a single command, as their distance from {@link #base}. */
    private final BitSet ackedSingly = new BitSet();

    private long base;
    private int waiting;
    private long waitingSince;

    /**
     * @param batchSize the number of waiting acks that are sent without further waiting
     * @param prefixWaitNanos how long a settled prefix waits to grow
     * @param singlesWaitNanos how long settled tags behind an unsettled one wait to become part of the prefix
     */
    AckBatcher(int batchSize, long prefixWaitNanos, long singlesWaitNanos) {
        this.batchSize = batchSize;
        this.prefixWaitNanos = prefixWaitNanos;
        this.singlesWaitNanos = singlesWaitNanos;
    }

    /** Adds a settled tag. */
    void add(long tag, long nowNanos) {
        int index = (int) (tag - base);
        if (tag <= ackedUpTo || settled.get(index)) {
            return;
        }
        settled.set(index);
        if (waiting++ == 0) {
            waitingSince = nowNanos;
        }
    }

    /** Sends the acks that are due, or all of them. */
    void flush(boolean all, long nowNanos, AckSender sender) throws IOException {
        long waited = nowNanos - waitingSince;
        if (waiting == 0 || (!all && waiting < batchSize && waited < prefixWaitNanos)) {
            return;
        }
        boolean batchFull = waiting >= batchSize;
        if (flushPrefix(sender)) {
            // The others wait anew, since the gap before them may close soon.
            waitingSince = nowNanos;
            batchFull = waiting >= batchSize;
            waited = 0;
        }
        if (waiting > 0 && (all || batchFull || waited >= singlesWaitNanos)) {
            flushSingles(sender);
        }
    }

    /** Returns the time until a flush may be due if nothing is added; {@link Long#MAX_VALUE} if nothing is waiting. */
    long nanosToFlush(long nowNanos) {
        if (waiting == 0) {
            return Long.MAX_VALUE;
        }
        long waited = nowNanos - waitingSince;
        return Math.max(0, (hasPrefix() ? prefixWaitNanos : singlesWaitNanos) - waited);
    }

    private boolean hasPrefix() {
        return settled.get((int) (ackedUpTo - base) + 1);
    }

    /** Acks the settled prefix. Returns whether there was one. */
    private boolean flushPrefix(AckSender sender) throws IOException {
        int from = (int) (ackedUpTo - base) + 1;
        int end = settled.nextClearBit(from) - 1;
        if (end < from) {
            return false;
        }
        // The command must name the last tag that was not acked singly: the broker has forgotten the others.
        int last = ackedSingly.previousClearBit(end);
        int covered = end - from + 1 - ackedSingly.get(from, end + 1).cardinality();
        ackedUpTo = base + end;
        waiting -= covered;
        if (covered > 0) {
            sender.ack(base + last, covered > 1);
        }
        if (end > REBASE_AT) {
            rebase(end);
        }
        return true;
    }

    private void flushSingles(AckSender sender) throws IOException {
        int from = (int) (ackedUpTo - base) + 1;
        for (int at = settled.nextSetBit(from); at >= 0 && waiting > 0; at = settled.nextSetBit(at + 1)) {
            if (!ackedSingly.get(at)) {
                ackedSingly.set(at);
                waiting--;
                sender.ack(base + at, false);
            }
        }
    }

    /** Drops the bits of the acked prefix. */
    private void rebase(int end) {
        shift(settled, end);
        shift(ackedSingly, end);
        base += end;
    }

    private static void shift(BitSet bits, int by) {
        BitSet rest = bits.get(by, Math.max(by, bits.length()));
        bits.clear();
        bits.or(rest);
    }
}
