package dev.tandem.server.api;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Reads lines of bytes of a bounded length. Not thread-safe. */
final class LineReader {

    private final InputStream in;
    private final int maxLine;
    private final byte[] piece = new byte[65_536];
    private int from;
    private int to;
    private boolean tooLong;

    LineReader(InputStream in, int maxLine) {
        this.in = in;
        this.maxLine = maxLine;
    }

    /** Returns the next line without its end; null at the end of the stream. Of a longer line only the begin is returned. */
    byte @Nullable [] next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(256);
        tooLong = false;
        while (true) {
            if (from == to) {
                to = in.read(piece);
                from = 0;
                if (to < 0) {
                    to = 0;
                    return line.size() == 0 ? null : line.toByteArray();
                }
            }
            int end = from;
            while (end < to && piece[end] != '\n') {
                end++;
            }
            int taken = Math.min(end - from, maxLine - line.size());
            tooLong |= taken < end - from;
            line.write(piece, from, taken);
            boolean isWhole = end < to;
            from = isWhole ? end + 1 : end;
            if (isWhole) {
                return line.toByteArray();
            }
        }
    }

    /** Whether the last line was longer than allowed. */
    boolean isTooLong() {
        return tooLong;
    }
}
