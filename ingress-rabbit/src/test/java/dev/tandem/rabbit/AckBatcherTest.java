package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class AckBatcherTest {

    private static final long PREFIX_WAIT = 100;
    private static final long SINGLES_WAIT = 1_000;

    private final AckBatcher batcher = new AckBatcher(4, PREFIX_WAIT, SINGLES_WAIT);
    private final List<String> sent = new ArrayList<>();

    @Test
    void acksAPrefixWithOneCommandAfterAShortWait() throws IOException {
        settled(0, 2, 1, 3);

        flush(PREFIX_WAIT - 1);
        assertThat(sent).isEmpty();
        assertThat(batcher.nanosToFlush(PREFIX_WAIT - 1)).isEqualTo(1);
        flush(PREFIX_WAIT);

        assertThat(sent).containsExactly("..3");
        assertThat(batcher.nanosToFlush(PREFIX_WAIT)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void aFullBatchIsSentAtOnce() throws IOException {
        settled(0, 1, 2, 3, 4);

        flush(0);

        assertThat(sent).containsExactly("..4");
    }

    @Test
    void aSingleDeliveryIsAckedWithoutTheMultipleFlag() throws IOException {
        settled(0, 1);
        flush(SINGLES_WAIT);
        settled(SINGLES_WAIT, 2);
        flush(2 * SINGLES_WAIT);

        assertThat(sent).containsExactly("1", "2");
    }

    @Test
    void acksBehindAGapWaitToJoinThePrefix() throws IOException {
        settled(0, 2, 3);
        flush(SINGLES_WAIT - 1);
        assertThat(sent).isEmpty();

        settled(0, 1);
        flush(SINGLES_WAIT - 1);

        assertThat(sent).containsExactly("..3");
    }

    @Test
    void acksBehindAGapWaitOnlyForALimitedTime() throws IOException {
        settled(0, 2, 3);

        assertThat(batcher.nanosToFlush(SINGLES_WAIT / 2)).isEqualTo(SINGLES_WAIT / 2);
        flush(SINGLES_WAIT);

        assertThat(sent).containsExactly("2", "3");
        assertThat(batcher.nanosToFlush(SINGLES_WAIT)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void manyAcksBehindAGapAreSentAtOnce() throws IOException {
        settled(0, 2, 3, 5, 6);

        flush(0);

        assertThat(sent).containsExactly("2", "3", "5", "6");
    }

    @Test
    void singleAcksAreNotRepeatedInAPrefix() throws IOException {
        settled(0, 2, 4);
        flush(SINGLES_WAIT);
        sent.clear();

        settled(SINGLES_WAIT, 1, 3);
        flush(2 * SINGLES_WAIT);
        assertThat(sent).containsExactly("..3");
        sent.clear();

        settled(2 * SINGLES_WAIT, 5);
        flush(3 * SINGLES_WAIT);
        assertThat(sent).containsExactly("5");
    }

    @Test
    void aPrefixThatEndsWithSingleAcksNamesTheLastUnackedTag() throws IOException {
        settled(0, 2, 3);
        flush(SINGLES_WAIT);
        sent.clear();

        settled(SINGLES_WAIT, 1);
        flush(2 * SINGLES_WAIT);

        assertThat(sent).containsExactly("1");
    }

    @Test
    void flushingAllSendsEveryAck() throws IOException {
        settled(0, 1, 3);

        batcher.flush(true, 0, this::record);

        assertThat(sent).containsExactly("1", "3");
    }

    @Test
    void acksATagOnce() throws IOException {
        settled(0, 1, 1, 3, 3);
        batcher.flush(true, 0, this::record);
        settled(0, 1, 3);
        batcher.flush(true, 0, this::record);

        assertThat(sent).containsExactly("1", "3");
    }

    @Test
    void acksEveryTagExactlyOnceInAnyOrder() throws IOException {
        for (int i = 0; i < 30; i++) {
            long seed = 400 + i;
            checkHistory(seed);
        }
    }

    private static void checkHistory(long seed) throws IOException {
        Random random = new Random(seed);
        int prefetch = 1 + random.nextInt(500);
        int count = random.nextInt(200_000);
        AckBatcher batcher = new AckBatcher(1 + random.nextInt(64), random.nextInt(30), 50);
        StrictBroker broker = new StrictBroker(seed);
        List<Long> unsettled = new ArrayList<>();
        long now = 0;
        while (broker.delivered < count || !unsettled.isEmpty()) {
            while (broker.delivered < count && unsettled.size() < prefetch) {
                unsettled.add(++broker.delivered);
            }
            for (int n = random.nextInt(20); n >= 0 && !unsettled.isEmpty(); n--) {
                // Mostly one from the front. Now and then a delivery stays unsettled for very long.
                int at = Math.min(unsettled.size() - 1, 1 + (int) Math.abs(random.nextGaussian() * 3));
                batcher.add(unsettled.remove(unsettled.size() == 1 || random.nextInt(50) == 0 ? 0 : at), now);
            }
            now += random.nextInt(20);
            batcher.flush(false, now, broker);
        }
        batcher.flush(true, now, broker);

        assertThat(broker.acked.cardinality()).as("seed %d", seed).isEqualTo(count);
    }

    /** Refuses a tag that is not outstanding, as RabbitMQ does. */
    private static final class StrictBroker implements AckBatcher.AckSender {
        private final long seed;
        private final BitSet acked = new BitSet();
        private long delivered;

        StrictBroker(long seed) {
            this.seed = seed;
        }

        @Override
        public void ack(long tag, boolean multiple) {
            assertThat(tag).as("seed %d", seed).isBetween(1L, delivered);
            assertThat(acked.get((int) tag))
                    .as("seed %d: %d was acked twice", seed, tag)
                    .isFalse();
            acked.set(multiple ? acked.nextClearBit(1) : (int) tag, (int) tag + 1);
        }
    }

    private void settled(long now, long... tags) {
        for (long tag : tags) {
            batcher.add(tag, now);
        }
    }

    private void flush(long now) throws IOException {
        batcher.flush(false, now, this::record);
    }

    private void record(long tag, boolean multiple) {
        sent.add((multiple ? ".." : "") + tag);
    }
}
