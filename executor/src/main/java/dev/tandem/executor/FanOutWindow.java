package dev.tandem.executor;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutRequest;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The subtasks that a master has published and its store does not know yet. So many may be published beyond what is noted: if the
 * master dies, only these may exist twice. Thread-safe: brokers acknowledge on threads of their own.
 */
final class FanOutWindow {

    /** Also the number in the script. */
    static final int SIZE = 2_048;

    private static final int NOTE_EVERY = SIZE / 4;

    /** The most memory that subtasks without an acknowledgement may take, in bytes. */
    private static final long MAX_BYTES = 8 << 20;

    /** How long a master that fails waits for acknowledgements. */
    private static final long GIVE_UP_NANOS = 2_000_000_000L;

    private final FanOuts fanOuts;
    private final String id;
    private final long token;
    /** By number modulo the size. */
    private final BitSet acked = new BitSet(SIZE);

    private long published;
    private long acknowledged;
    private long noted;
    private long bytes;
    private boolean noting;
    /** Whether an earlier run may have published what this one publishes. */
    private final boolean mayBeCopies;
    /** Which subtasks have ended, from the byte on that has the bit of {@link #noted}. */
    private byte[] ended;

    /** Whether nothing is to be published from {@link #stopsAt} on. */
    private boolean stopped;
    /** The number below which an earlier run may have published: these are published again also if the fan-out is stopped. */
    private long stopsAt;

    private @Nullable RuntimeException failure;

    /**
     * @param begun says which number is the first that is not noted, and which of those behind it have ended
     * @param stopsAt the number from which on nothing is published any more if the fan-out is stopped
     */
    FanOutWindow(FanOuts fanOuts, String id, long token, FanOutAnswer begun, long stopsAt, boolean mayBeCopies) {
        long cursor = begun.cursor();
        this.fanOuts = fanOuts;
        this.id = id;
        this.token = token;
        this.published = cursor;
        this.acknowledged = cursor;
        this.noted = cursor;
        this.ended = begun.ended();
        this.mayBeCopies = mayBeCopies;
        this.stopsAt = stopsAt;
    }

    /** Publishes nothing from {@link #stopsAt} on. */
    synchronized void stop() {
        stopped = true;
    }

    /**
     * Waits for room, and takes it for the next subtask.
     *
     * @return false if no further subtask is to be published
     */
    synchronized boolean enter(int weight) throws InterruptedException {
        while (failure == null && !isOver() && (published - noted >= SIZE || bytes > 0 && bytes + weight > MAX_BYTES)) {
            note(true);
            wait();
        }
        requireNoFailure();
        if (isOver()) {
            return false;
        }
        published++;
        bytes += weight;
        return true;
    }

    /**
     * Waits for room, and returns whether the next subtask has ended already, because an earlier run published it. That may be far
     * behind what is noted, if the store forgot notes.
     */
    synchronized boolean hasNextEnded() throws InterruptedException {
        while (mayBeCopies && failure == null && !isOver() && published - noted >= SIZE) {
            note(true);
            wait();
        }
        return mayBeCopies && isSet(ended, published - noted / 8 * 8);
    }

    /** Bits are numbered from the most significant one of a byte. */
    private static boolean isSet(byte[] bits, long bit) {
        int index = (int) (bit / 8);
        return index < bits.length && (bits[index] & 0x80 >> bit % 8) != 0;
    }

    private boolean isOver() {
        return stopped && published >= stopsAt;
    }

    /** Hears that a subtask is acknowledged, or why it is not. */
    void left(long number, int weight, @Nullable RuntimeException problem) {
        synchronized (this) {
            bytes -= weight;
            if (problem != null) {
                failure = failure == null ? problem : failure;
            } else {
                acked.set((int) (number % SIZE));
                while (acknowledged < published && acked.get((int) (acknowledged % SIZE))) {
                    acked.clear((int) (acknowledged % SIZE));
                    acknowledged++;
                }
            }
            notifyAll();
        }
        note(false);
    }

    /** Notes how many subtasks are published, one request at a time. @param now whether a few are enough */
    private void note(boolean now) {
        long cursor;
        synchronized (this) {
            long more = acknowledged - noted;
            if (noting || failure != null || more < (now ? 1 : NOTE_EVERY)) {
                return;
            }
            noting = true;
            cursor = acknowledged;
        }
        fanOuts.ask(new FanOutRequest.Note(id, token, cursor, mayBeCopies), answer -> {
            synchronized (this) {
                noting = false;
                RuntimeException problem = FanOutWriter.problem(id, answer);
                if (problem != null) {
                    failure = failure == null ? problem : failure;
                } else if (answer != null) {
                    noted = cursor;
                    ended = answer.ended();
                    stopped |= FanOutWriter.isStopped(answer);
                    stopsAt = FanOutWriter.isClosed(answer) ? 0 : stopsAt;
                }
                notifyAll();
            }
        });
    }

    /** Waits until all are acknowledged. @return how many there are */
    synchronized long awaitAll() throws InterruptedException {
        while (failure == null && acknowledged < published) {
            wait();
        }
        requireNoFailure();
        return published;
    }

    /** Notes what is acknowledged after a short wait, because no further subtask will be published in this run. */
    void giveUp() {
        long cursor;
        synchronized (this) {
            long until = System.nanoTime() + GIVE_UP_NANOS;
            try {
                while (failure == null && acknowledged < published && System.nanoTime() < until) {
                    wait(GIVE_UP_NANOS / 10_000_000);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            cursor = acknowledged;
        }
        fanOuts.ask(new FanOutRequest.Note(id, token, cursor), answer -> {});
    }

    private void requireNoFailure() {
        RuntimeException problem = failure;
        if (problem != null) {
            throw problem;
        }
    }
}
