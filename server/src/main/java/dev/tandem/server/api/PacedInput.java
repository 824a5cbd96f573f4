package dev.tandem.server.api;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads a body of any length, as long as it comes with a least pace: a client that sends a byte now and then would keep a place for
 * ever. The time that the server waits in all is counted, and each byte that is no blank gives some of it back. Not thread-safe.
 */
final class PacedInput extends FilterInputStream {

    /** How many bytes a second are fast enough. */
    static final int LEAST_PACE = 1_000;

    private static final long NANOS_OF_BYTE = TimeUnit.SECONDS.toNanos(1) / LEAST_PACE;

    private final long patience;
    private final LongSupplier clock;
    private long waited;

    /**
     * @param patienceNanos how long the server waits for bytes that do not come fast enough
     * @param clock as {@link System#nanoTime}
     */
    PacedInput(InputStream in, long patienceNanos, LongSupplier clock) {
        super(in);
        this.patience = patienceNanos;
        this.clock = clock;
    }

    /** @throws SocketTimeoutException if the body comes too slowly */
    @Override
    public int read(byte[] piece, int from, int size) throws IOException {
        long before = clock.getAsLong();
        int count = super.read(piece, from, size);
        waited += clock.getAsLong() - before;
        for (int i = from; i < from + count && waited > 0; i++) {
            if (piece[i] > ' ' || piece[i] < 0) {
                waited -= NANOS_OF_BYTE;
            }
        }
        waited = Math.max(0, waited);
        if (count >= 0 && waited > patience) {
            throw new SocketTimeoutException("The body comes too slowly");
        }
        return count;
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }
}
