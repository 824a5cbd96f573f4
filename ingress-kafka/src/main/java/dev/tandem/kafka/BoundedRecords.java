package dev.tandem.kafka;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Ends a poll of Kafka's consumer when its records fill memory. The consumer bounds a poll by a number of records only, and
 * unpacks each compressed record just before its key and its value are deserialized here. If a record is refused, the poll
 * returns those before it, and the next poll offers it again from where the consumer stopped. The first record of a poll is
 * never refused.
 *
 * <p>The same object must be the consumer's deserializer of keys and of values: the consumer calls neither for a null, and
 * passes the same headers to both calls for one record. The first call for a record also counts its headers. A record
 * without key and value is not counted, since the consumer calls nothing for it: {@link #weight} tells its size afterwards.
 *
 * <p>Used by the polling thread only. The consumer logs each refusal as an error of {@code CompletedFetch}, a logger that
 * should be off: byte arrays have no other errors.
 */
final class BoundedRecords implements Deserializer<byte[]> {

    /** About what a record takes besides its key, its value and its headers. */
    private static final int OVERHEAD = 160;

    /** About what a header takes besides its name and its value: five objects and two references. */
    private static final int HEADER_OVERHEAD = 112;

    private static final NoRoom NO_ROOM = new NoRoom();

    private final LongConsumer takeFirst;
    private final LongPredicate takeIfFits;
    private boolean any;
    /** Whether the present record is the first one of the poll. */
    private boolean first;
    /** The headers of the present record, by which its second call is known. */
    private @Nullable Headers present;

    /** Says that there is no room for a record. */
    private static final class NoRoom extends SerializationException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /**
     * @param takeFirst takes so many bytes, whether there is room for them or not
     * @param takeIfFits takes so many bytes if there is room for them, and says whether there was
     */
    BoundedRecords(LongConsumer takeFirst, LongPredicate takeIfFits) {
        this.takeFirst = takeFirst;
        this.takeIfFits = takeIfFits;
    }

    /** To be called before each poll. */
    void beginPoll() {
        any = false;
        present = null;
    }

    /** Returns about how many bytes of memory a record takes that has these headers and neither key nor value. */
    static long weight(Headers headers) {
        long sum = OVERHEAD;
        for (Header each : headers) {
            // Reading both makes copies, and lets go of the unpacked record, which has the key and the value once more.
            String name = each.key();
            byte[] value = each.value();
            sum += HEADER_OVERHEAD + name.length() + (value == null ? 0 : value.length);
        }
        return sum;
    }

    /** Not called by the consumer, which passes headers. */
    @Override
    public byte @Nullable [] deserialize(String topic, byte @Nullable [] data) {
        begin();
        take(OVERHEAD + (data == null ? 0 : data.length));
        return data;
    }

    @Override
    public byte @Nullable [] deserialize(String topic, Headers headers, @Nullable ByteBuffer data) {
        long size = data == null ? 0 : data.remaining();
        if (headers != present) {
            begin();
            present = headers;
            size += weight(headers);
        }
        take(size);
        return Utils.toNullableArray(data);
    }

    private void begin() {
        first = !any;
        any = true;
    }

    private void take(long size) {
        if (first) {
            takeFirst.accept(size);
        } else if (!takeIfFits.test(size)) {
            throw NO_ROOM;
        }
    }
}
