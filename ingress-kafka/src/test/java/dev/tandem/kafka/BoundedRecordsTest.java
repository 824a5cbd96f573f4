package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * {@link BoundedRecords} counts the bytes of a poll. The tests make the calls of Kafka's consumer: one for each key and
 * each value that is not null.
 */
class BoundedRecordsTest {

    private static final int LIMIT = 1_000_000;

    private long taken;
    private final BoundedRecords records = new BoundedRecords(size -> taken += size, size -> {
        boolean fits = taken + size <= LIMIT;
        taken += fits ? size : 0;
        return fits;
    });

    /** Offers a record in the way of the consumer. Throws if it is refused. */
    private void offer(int key, int value, Header... headers) {
        Headers ofRecord = new RecordHeaders(headers);
        if (key >= 0) {
            assertThat(deserialize(ofRecord, key)).hasSize(key);
        }
        if (value >= 0) {
            assertThat(deserialize(ofRecord, value)).hasSize(value);
        }
    }

    private byte @Nullable [] deserialize(Headers headers, int size) {
        return records.deserialize("topic", headers, ByteBuffer.allocate(size));
    }

    private void assertRefused(int key, int value, Header... headers) {
        assertThatThrownBy(() -> offer(key, value, headers)).isInstanceOf(SerializationException.class);
    }

    @Test
    void aRecordCountsWithItsKeyAndItsValueOnceEach() {
        offer(1_000, 2_000);
        long both = taken;
        offer(1_000, -1);
        offer(-1, 2_000);
        assertThat(both).isBetween(3_000L, 3_500L);
        assertThat(taken).isEqualTo(2 * both + (both - 3_000));
    }

    @Test
    void headersCountOnceForARecordWhicheverCallComesFirst() {
        Header header = new RecordHeader("h", new byte[10_000]);
        offer(1, 1, header);
        long both = taken;
        offer(1, -1, header);
        long key = taken - both;
        offer(-1, 1, header);
        long value = taken - both - key;
        assertThat(both).isBetween(10_000L, 11_000L);
        assertThat(key).isEqualTo(both - 1);
        assertThat(value).isEqualTo(both - 1);
    }

    @Test
    void manySmallHeadersCountWithTheObjectsThatTheyAre() {
        offer(
                1,
                1,
                IntStream.range(0, 10_000)
                        .mapToObj(i -> new RecordHeader("", null))
                        .toArray(Header[]::new));
        assertThat(taken).isGreaterThan(10_000 * 100);
    }

    @Test
    void theFirstRecordOfAPollIsTakenWholeAndTheNextOneIsRefused() {
        offer(2 * LIMIT, 3 * LIMIT, new RecordHeader("h", new byte[LIMIT]));
        assertThat(taken).isGreaterThan(6 * LIMIT);
        assertRefused(1, 1);
        assertRefused(1, -1);
        assertRefused(-1, 1);
        records.beginPoll();
        offer(2 * LIMIT, 3 * LIMIT);
        assertRefused(1, 1);
    }

    @Test
    void aRecordIsRefusedForItsKeyItsValueOrItsHeaders() {
        offer(1, 1);
        assertRefused(LIMIT, 1);
        assertRefused(1, LIMIT);
        assertRefused(-1, 1, new RecordHeader("h", new byte[LIMIT]));
        offer(1, 1);
    }

    /** Slices of headers would keep the unpacked record in memory, besides the copies of its key and its value. */
    @Test
    void headersDoNotKeepTheUnpackedRecord() throws ReflectiveOperationException {
        RecordHeader header = new RecordHeader(ByteBuffer.wrap(new byte[] {'h'}), ByteBuffer.allocate(3));
        offer(1, 1, header);
        for (String buffer : new String[] {"keyBuffer", "valueBuffer"}) {
            var field = RecordHeader.class.getDeclaredField(buffer);
            field.setAccessible(true);
            assertThat(field.get(header)).as(buffer).isNull();
        }
    }
}
