package dev.tandem.kafka;

import java.nio.ByteBuffer;
import java.util.function.LongConsumer;
import java.util.function.LongPredicate;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Ends a poll of Kafka's consumer when its records fill memory. The consumer bounds a poll by a number of records only, and
 * unpacks each compressed record just before it is deserialized here. If one is refused, the poll returns those before it,
 * and the next poll offers it again from where the consumer stopped. The first record of a poll is never refused.
 *
 * <p>Used by the polling thread only. The consumer logs each refusal as an error of {@code CompletedFetch}, a logger that
 * should be off: byte arrays have no other errors.
 */
final class BoundedValues implements Deserializer<byte[]> {

    /** About what a record takes besides its value. */
    private static final int OVERHEAD = 160;

    private static final NoRoom NO_ROOM = new NoRoom();

    private final LongConsumer takeFirst;
    private final LongPredicate takeIfFits;
    private boolean any;

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
    BoundedValues(LongConsumer takeFirst, LongPredicate takeIfFits) {
        this.takeFirst = takeFirst;
        this.takeIfFits = takeIfFits;
    }

    /** To be called before each poll. */
    void beginPoll() {
        any = false;
    }

    @Override
    public byte @Nullable [] deserialize(String topic, byte @Nullable [] data) {
        take(data == null ? 0 : data.length);
        return data;
    }

    @Override
    public byte @Nullable [] deserialize(String topic, Headers headers, @Nullable ByteBuffer data) {
        take(data == null ? 0 : data.remaining());
        return Utils.toNullableArray(data);
    }

    private void take(int length) {
        long size = (long) OVERHEAD + length;
        if (!any) {
            any = true;
            takeFirst.accept(size);
        } else if (!takeIfFits.test(size)) {
            throw NO_ROOM;
        }
    }
}
