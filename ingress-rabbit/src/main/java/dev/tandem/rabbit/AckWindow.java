package dev.tandem.rabbit;

import java.io.IOException;
import java.util.BitSet;

/**
 * Which deliveries of one channel are to be acked, and how with few commands: one for all up to a tag where everything
 * up to it is settled, single ones for what is settled behind an unsettled one. Both wait a little: for more to come
 * under one command, and for the gaps before them to close.
 *
 * <p>Few commands are more than thrift. Each is an entry in a quorum queue's log, and with more than 32 of them under
 * way RabbitMQ (3.10 to 4.3, {@code rabbit_fifo_client}) keeps further acks in the channel's process, where they are
 * lost when the channel ends.
 *
 * <p>A tag that is acked twice would close the channel, so it is counted once, whatever comes.
 */
final class AckWindow {

    /** Sends one command. */
    interface Out {
        void ack(long tag, boolean multiple) throws IOException;
    }

    private static final int REBASE = 1 << 16;

    private final int batch;
    private final long prefixNanos;
    private final long singlesNanos;

    /** All tags up to here are acked. */
    private long acked;

    /** Tags above {@link #base}, at their distance from it. */
    private final BitSet settled = new BitSet();

    private final BitSet sent = new BitSet();
    private long base;
    private int waiting;
    private long waitingSince;

    /**
     * @param batch so many go at once, without waiting
     * @param prefixNanos how long a prefix waits for more
     * @param singlesNanos how long what is behind an unsettled one waits to become part of a prefix
     */
    AckWindow(int batch, long prefixNanos, long singlesNanos) {
        this.batch = batch;
        this.prefixNanos = prefixNanos;
        this.singlesNanos = singlesNanos;
    }

    /** It is settled. */
    void add(long tag, long nowNanos) {
        int at = (int) (tag - base);
        if (tag <= acked || settled.get(at)) {
            return;
        }
        settled.set(at);
        if (waiting++ == 0) {
            waitingSince = nowNanos;
        }
    }

    /** Sends what is due, or all. */
    void flush(boolean all, long nowNanos, Out out) throws IOException {
        long waited = nowNanos - waitingSince;
        if (waiting == 0 || (!all && waiting < batch && waited < prefixNanos)) {
            return;
        }
        boolean many = waiting >= batch;
        if (prefix(out)) {
            // What is left is nearer to being part of the next one.
            waitingSince = nowNanos;
            many = waiting >= batch;
            waited = 0;
        }
        if (waiting > 0 && (all || many || waited >= singlesNanos)) {
            singles(out);
        }
    }

    /** When the next flush may have something to do if nothing is added; {@link Long#MAX_VALUE}: never. */
    long nanosToFlush(long nowNanos) {
        if (waiting == 0) {
            return Long.MAX_VALUE;
        }
        long waited = nowNanos - waitingSince;
        return Math.max(0, (hasPrefix() ? prefixNanos : singlesNanos) - waited);
    }

    private boolean hasPrefix() {
        return settled.get((int) (acked - base) + 1);
    }

    /** @return whether it grew */
    private boolean prefix(Out out) throws IOException {
        int from = (int) (acked - base) + 1;
        int end = settled.nextClearBit(from) - 1;
        if (end < from) {
            return false;
        }
        // The last that was not acked by itself: the broker does not know the others any more.
        int last = sent.previousClearBit(end);
        int covered = end - from + 1 - sent.get(from, end + 1).cardinality();
        acked = base + end;
        waiting -= covered;
        if (covered > 0) {
            out.ack(base + last, covered > 1);
        }
        if (end > REBASE) {
            rebase(end);
        }
        return true;
    }

    private void singles(Out out) throws IOException {
        int from = (int) (acked - base) + 1;
        for (int at = settled.nextSetBit(from); at >= 0 && waiting > 0; at = settled.nextSetBit(at + 1)) {
            if (!sent.get(at)) {
                sent.set(at);
                waiting--;
                out.ack(base + at, false);
            }
        }
    }

    /** Forgets what is below the prefix. */
    private void rebase(int end) {
        shift(settled, end);
        shift(sent, end);
        base += end;
    }

    private static void shift(BitSet bits, int by) {
        BitSet rest = bits.get(by, Math.max(by, bits.length()));
        bits.clear();
        bits.or(rest);
    }
}
