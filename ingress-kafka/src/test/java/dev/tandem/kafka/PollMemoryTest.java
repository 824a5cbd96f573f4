package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.MemoryBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** When a poll of the source polls its consumer again. */
class PollMemoryTest {

    private static final int MOST = 50;

    private final MemoryBudget budget = MemoryBudget.ofBytes(1_000_000);
    private final PollMemory memory = new PollMemory(budget);

    /** @param header the size of a header, of records with neither key nor value */
    private static ConsumerRecords<byte[], byte[]> part(int count, int header) {
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ConsumerRecord<byte[], byte[]> record =
                    new ConsumerRecord<>("topic", 0, i, null, header == 0 ? new byte[1] : null);
            record.headers().add("h", new byte[header]);
            records.add(record);
        }
        return new ConsumerRecords<>(Map.of(new TopicPartition("topic", 0), records), Map.of());
    }

    @Test
    void goesOnWhileTheConsumerReturnsAsManyAsItMay() {
        memory.beginPoll();
        assertThat(memory.mayGoOn(part(MOST, 0), MOST)).isTrue();
        assertThat(memory.mayGoOn(part(MOST - 1, 0), MOST)).isFalse();
    }

    @Test
    void endsAfterTwoThousandRecords() {
        memory.beginPoll();
        for (int records = MOST; records < 2_000; records += MOST) {
            assertThat(memory.mayGoOn(part(MOST, 0), MOST)).isTrue();
        }
        assertThat(memory.mayGoOn(part(MOST, 0), MOST)).isFalse();
        memory.beginPoll();
        assertThat(memory.mayGoOn(part(MOST, 0), MOST)).isTrue();
    }

    @Test
    void recordsWithNeitherKeyNorValueCountAfterwards() {
        memory.beginPoll();
        assertThat(memory.mayGoOn(part(MOST, 10_000), MOST)).isTrue();
        assertThat(budget.used()).isBetween(500_000L, 550_000L);
        assertThat(memory.mayGoOn(part(MOST, 10_000), MOST)).isFalse();
        memory.endPoll();
        assertThat(budget.used()).isZero();
    }
}
