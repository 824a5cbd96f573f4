package dev.tandem.kafka;

import dev.tandem.task.MemoryBudget;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * The memory that the records of one source take from the poll that returns them until they are delivered. From then on the
 * queue's loop accounts for them. Used by the polling thread.
 *
 * <p>A poll of the source consists of several polls of its consumer, each of few records: {@link BoundedRecords} cannot
 * refuse a record without key and value, so the consumer unpacks all that it may return at once.
 */
final class PollMemory implements AutoCloseable {

    /** A poll of the source ends when it has this many records or more. */
    private static final int MAX_RECORDS = 2_000;

    final MemoryBudget budget;
    /** Deserializes the keys and the values of the source's consumer. */
    final BoundedRecords records;

    private final MemoryBudget.Account polled;
    private int count;

    PollMemory(MemoryBudget budget) {
        this.budget = budget;
        this.polled = budget.account();
        this.records = new BoundedRecords(polled::take, polled::tryTake);
        budget.addReader();
    }

    void beginPoll() {
        polled.hold(0);
        count = 0;
    }

    /** To be called before each poll of the consumer. */
    void beginPart() {
        records.beginPoll();
    }

    /**
     * Counts the records that could not be counted before. Returns whether the consumer may have more of them that fit.
     *
     * @param most how many records the consumer returns at once
     */
    boolean mayGoOn(ConsumerRecords<byte[], byte[]> part, int most) {
        for (ConsumerRecord<byte[], byte[]> record : part) {
            if (record.key() == null && record.value() == null) {
                polled.take(BoundedRecords.weight(record.headers()));
            }
        }
        count += part.count();
        return part.count() >= most && count < MAX_RECORDS && budget.free() > 0;
    }

    /** Returns how many records a consumer with these properties returns at once. */
    static int mostOfPart(Map<String, Object> consumer) {
        return Integer.parseInt(String.valueOf(consumer.get(ConsumerConfig.MAX_POLL_RECORDS_CONFIG))
                .strip());
    }

    /** Says that all records of the poll are delivered. */
    void endPoll() {
        polled.hold(0);
    }

    @Override
    public void close() {
        polled.close();
        budget.removeReader();
    }
}
