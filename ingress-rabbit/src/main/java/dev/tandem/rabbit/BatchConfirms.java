package dev.tandem.rabbit;

import com.rabbitmq.client.ConfirmListener;
import java.util.BitSet;

/** Finds the first message of a batch that the broker refused. Thread-safe. */
final class BatchConfirms implements ConfirmListener {

    /** No message was refused. */
    static final int NONE = Integer.MAX_VALUE;

    private final BitSet open = new BitSet();
    private long first;
    private int firstRefused = NONE;

    /** @param firstNumber the publisher's sequence number of the batch's first message */
    synchronized void begin(long firstNumber, int count) {
        first = firstNumber;
        firstRefused = NONE;
        open.clear();
        open.set(0, count);
    }

    /** Returns the index of the first message that was refused; {@link #NONE} if none was. */
    synchronized int firstRefused() {
        return firstRefused;
    }

    @Override
    public void handleAck(long number, boolean multiple) {
        answered(number, multiple, false);
    }

    @Override
    public void handleNack(long number, boolean multiple) {
        answered(number, multiple, true);
    }

    private synchronized void answered(long number, boolean multiple, boolean refused) {
        int last = (int) Math.min(Integer.MAX_VALUE - 1, number - first);
        if (last < 0) {
            return;
        }
        int at = open.nextSetBit(multiple ? 0 : last);
        if (refused && at >= 0 && at <= last) {
            firstRefused = Math.min(firstRefused, at);
        }
        open.clear(multiple ? 0 : last, last + 1);
    }
}
