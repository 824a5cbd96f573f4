package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EnvelopeTest {

    @Test
    void anEncodedEnvelopeIsDecodedUnchanged() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            Envelope envelope = any(random);
            Envelope read = Envelope.decode("q", envelope.encode());
            assertThat(read.task().payload())
                    .as("seed %d", seed)
                    .isEqualTo(envelope.task().payload());
            // Byte by byte, a recursive comparison of payloads takes most of the time.
            assertThat(read)
                    .as("seed %d", seed)
                    .usingRecursiveComparison()
                    .ignoringFields("task.payload")
                    .isEqualTo(envelope);
        }
    }

    @Test
    void theTokenIsAtTheOffsetThatScriptsRead() {
        byte[] bytes = new Envelope(Task.of("q", "k", new byte[3]), 1, 0x0102030405060708L, "boom").encode();
        assertThat(bytes[0]).isEqualTo(Envelope.VERSION);
        assertThat(bytes[1] & Envelope.FLAG_TOKEN).isEqualTo(1);
        assertThat(Arrays.copyOfRange(bytes, 2, 10)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    }

    @Test
    void aPlainScheduledTaskAddsFewBytesToItsPayload() {
        Task task = new Task(
                null,
                "q",
                "order.paid",
                null,
                new byte[64],
                Map.of(),
                1_790_000_000_000L,
                1_790_000_100_000L,
                0,
                0,
                null);
        assertThat(Envelope.of(task).encode().length).isLessThanOrEqualTo(64 + 2 + 11 + 12);
    }

    @Test
    void unknownVersionsAndTruncatedBytesAreRefused() {
        byte[] bytes = new Envelope(
                        new Task("id", "q", "t", "k", new byte[0], Map.of("a", "b"), 0, 0, 0, 0, null), 0, 0, null)
                .encode();
        assertThatThrownBy(() -> Envelope.decode("q", new byte[] {9, 0})).hasMessageContaining("version 9");
        assertThatThrownBy(() -> Envelope.decode("q", new byte[0])).hasMessageContaining("version none");
        for (int cut = 2; cut < bytes.length; cut++) {
            byte[] part = Arrays.copyOf(bytes, cut);
            assertThatThrownBy(() -> Envelope.decode("q", part)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private static Envelope any(Random random) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            headers.put("h" + i, "v".repeat(random.nextInt(300)));
        }
        boolean ran = random.nextBoolean();
        Task task = new Task(
                maybe(random, "id-é"),
                "q",
                maybe(random, "type"),
                maybe(random, "key"),
                "x".repeat(random.nextInt(500)).getBytes(StandardCharsets.UTF_8),
                headers,
                random.nextBoolean() ? 0 : random.nextLong() >>> 1,
                random.nextBoolean() ? 0 : random.nextLong() >>> 1,
                random.nextInt(1_000_000),
                random.nextInt(100),
                maybe(random, "dedup"));
        return new Envelope(
                task, ran ? 1 + random.nextInt(20) : 0, ran ? random.nextLong() | 1 : 0, maybe(random, "error"));
    }

    private static @Nullable String maybe(Random random, String text) {
        return random.nextBoolean() ? text + random.nextInt(10) : null;
    }
}
