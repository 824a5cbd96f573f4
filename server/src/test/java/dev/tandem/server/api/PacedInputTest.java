package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A body may have any length and may pause, but it does not keep its place for ever. */
class PacedInputTest {

    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

    private long now;
    private long read;
    private long seconds;

    /** Returns a body of 10,000 such pieces. @param each after how many seconds one comes */
    private InputStream body(String piece, long each) {
        seconds = each;
        InputStream sent = new InputStream() {
            private int pieces;

            @Override
            public int read() {
                throw new IllegalStateException("one byte at a time is slow");
            }

            @Override
            public int read(byte[] into, int from, int size) {
                now += TimeUnit.SECONDS.toNanos(seconds);
                if (pieces++ == 10_000) {
                    return -1;
                }
                byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
                System.arraycopy(bytes, 0, into, from, bytes.length);
                read += bytes.length;
                return bytes.length;
            }
        };
        return new PacedInput(sent, PATIENCE, () -> now);
    }

    private long secondsUntilRefused(String piece, long seconds) {
        assertThatThrownBy(() -> body(piece, seconds).transferTo(OutputStream.nullOutputStream()))
                .isInstanceOf(SocketTimeoutException.class);
        return TimeUnit.NANOSECONDS.toSeconds(now);
    }

    @Test
    void aByteNowAndThenIsTooSlow() {
        assertThat(secondsUntilRefused("x", 9)).isEqualTo(36);
    }

    @Test
    void linesNowAndThenAreTooSlowToo() {
        assertThat(secondsUntilRefused("{\"payload\": 1}\n", 9)).isEqualTo(36);
    }

    @Test
    void blanksAndEmptyLinesAreNoProgressHoweverManyThereAre() {
        assertThat(secondsUntilRefused(" \r\n\t\n".repeat(1_000), 1)).isEqualTo(31);
    }

    @Test
    void aFastBodyHasNoEndAndMayPause() throws IOException {
        char[] second = new char[2_000];
        Arrays.fill(second, 'é');

        body(new String(second), 2).transferTo(OutputStream.nullOutputStream());

        assertThat(read).isEqualTo(40_000_000L);
    }

    @Test
    void whatCameFastDoesNotPayForWhatComesSlowlyLater() throws IOException {
        InputStream body = body("x".repeat(8_000), 0);
        byte[] piece = new byte[8_192];
        for (int i = 0; i < 1_000; i++) {
            assertThat(body.read(piece)).isEqualTo(8_000);
        }
        seconds = 40;
        assertThatThrownBy(() -> body.read(piece)).isInstanceOf(SocketTimeoutException.class);
    }
}
