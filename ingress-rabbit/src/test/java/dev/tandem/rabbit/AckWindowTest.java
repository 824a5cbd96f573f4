package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AckWindowTest {

    private static final long PREFIX_WAIT = 100;
    private static final long WAIT = 1_000;

    private final AckWindow window = new AckWindow(4, PREFIX_WAIT, WAIT);
    private final List<String> sent = new ArrayList<>();

    @Test
    void aPrefixIsOneCommandAfterALittleWait() throws IOException {
        settled(0, 2, 1, 3);

        flush(PREFIX_WAIT - 1);
        assertThat(sent).isEmpty();
        assertThat(window.nanosToFlush(PREFIX_WAIT - 1)).isEqualTo(1);
        flush(PREFIX_WAIT);

        assertThat(sent).containsExactly("..3");
        assertThat(window.nanosToFlush(PREFIX_WAIT)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void manyDoNotWait() throws IOException {
        settled(0, 1, 2, 3, 4);

        flush(0);

        assertThat(sent).containsExactly("..4");
    }

    @Test
    void oneAloneIsNoMultiple() throws IOException {
        settled(0, 1);
        flush(WAIT);
        settled(WAIT, 2);
        flush(2 * WAIT);

        assertThat(sent).containsExactly("1", "2");
    }

    @Test
    void whatIsBehindAnUnsettledOneWaitsToBecomePartOfAPrefix() throws IOException {
        settled(0, 2, 3);
        flush(WAIT - 1);
        assertThat(sent).isEmpty();

        settled(0, 1);
        flush(WAIT - 1);

        assertThat(sent).containsExactly("..3");
    }

    @Test
    void butNotForLong() throws IOException {
        settled(0, 2, 3);

        assertThat(window.nanosToFlush(WAIT / 2)).isEqualTo(WAIT / 2);
        flush(WAIT);

        assertThat(sent).containsExactly("2", "3");
        assertThat(window.nanosToFlush(WAIT)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void andNotWhenTheyAreMany() throws IOException {
        settled(0, 2, 3, 5, 6);

        flush(0);

        assertThat(sent).containsExactly("2", "3", "5", "6");
    }

    @Test
    void whatWasAckedByItselfIsNotNamedAgain() throws IOException {
        settled(0, 2, 4);
        flush(WAIT);
        sent.clear();

        settled(WAIT, 1, 3);
        flush(2 * WAIT);
        assertThat(sent).containsExactly("..3");
        sent.clear();

        settled(2 * WAIT, 5);
        flush(3 * WAIT);
        assertThat(sent).containsExactly("5");
    }

    @Test
    void aPrefixThatEndsWithOnesAckedByThemselvesNamesTheLastThatWasNot() throws IOException {
        settled(0, 2, 3);
        flush(WAIT);
        sent.clear();

        settled(WAIT, 1);
        flush(2 * WAIT);

        assertThat(sent).containsExactly("1");
    }

    @Test
    void atTheEndAllGo() throws IOException {
        settled(0, 1, 3);

        window.flush(true, 0, this::record);

        assertThat(sent).containsExactly("1", "3");
    }

    @Test
    void aTagCountsOnce() throws IOException {
        settled(0, 1, 1, 3, 3);
        window.flush(true, 0, this::record);
        settled(0, 1, 3);
        window.flush(true, 0, this::record);

        assertThat(sent).containsExactly("1", "3");
    }

    @Test
    void everyTagIsAckedExactlyOnceInWhateverOrderTasksEnd() throws IOException {
        for (int i = 0; i < 30; i++) {
            long seed = 400 + i;
            everyTagIsAckedExactlyOnce(seed);
        }
    }

    private static void everyTagIsAckedExactlyOnce(long seed) throws IOException {
        Random random = new Random(seed);
        int prefetch = 1 + random.nextInt(500);
        int count = random.nextInt(200_000);
        AckWindow window = new AckWindow(1 + random.nextInt(64), random.nextInt(30), 50);
        Broker broker = new Broker(seed);
        List<Long> unsettled = new ArrayList<>();
        long now = 0;
        while (broker.delivered < count || !unsettled.isEmpty()) {
            while (broker.delivered < count && unsettled.size() < prefetch) {
                unsettled.add(++broker.delivered);
            }
            for (int n = random.nextInt(20); n >= 0 && !unsettled.isEmpty(); n--) {
                // Mostly from the front; now and then one stays for very long.
                int at = Math.min(unsettled.size() - 1, 1 + (int) Math.abs(random.nextGaussian() * 3));
                window.add(unsettled.remove(unsettled.size() == 1 || random.nextInt(50) == 0 ? 0 : at), now);
            }
            now += random.nextInt(20);
            window.flush(false, now, broker);
        }
        window.flush(true, now, broker);

        assertThat(broker.acked.cardinality()).as("seed %d", seed).isEqualTo(count);
    }

    /** Refuses what RabbitMQ refuses: a tag that is not outstanding. */
    private static final class Broker implements AckWindow.Out {
        private final long seed;
        private final BitSet acked = new BitSet();
        private long delivered;

        Broker(long seed) {
            this.seed = seed;
        }

        @Override
        public void ack(long tag, boolean multiple) {
            assertThat(tag).as("seed %d", seed).isBetween(1L, delivered);
            assertThat(acked.get((int) tag)).as("seed %d: %d again", seed, tag).isFalse();
            acked.set(multiple ? acked.nextClearBit(1) : (int) tag, (int) tag + 1);
        }
    }

    private void settled(long now, long... tags) {
        for (long tag : tags) {
            window.add(tag, now);
        }
    }

    private void flush(long now) throws IOException {
        window.flush(false, now, this::record);
    }

    private void record(long tag, boolean multiple) {
        sent.add((multiple ? ".." : "") + tag);
    }
}
