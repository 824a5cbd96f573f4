package dev.tandem.kafka;

import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits once for the metadata of a topic, longer than the producer does. A program that runs a queue creates its topic while it
 * starts, and would lose the tasks that it submits meanwhile. Thread-safe.
 */
final class TopicWait {

    private final int attempts;
    private volatile boolean over;

    /** @param attempts how often the producer may wait for its {@code max.block.ms}; 0 leaves it to the sending */
    TopicWait(int attempts) {
        this.attempts = attempts;
        this.over = attempts == 0;
    }

    /** Returns null if a record can be sent, else why the topic is not known. Later calls do not wait. */
    @Nullable
    TimeoutException await(Producer<?, ?> producer, String topic) {
        TimeoutException last = null;
        for (int i = 0; i < attempts && !over; i++) {
            try {
                producer.partitionsFor(topic);
                over = true;
                return null;
            } catch (TimeoutException e) {
                last = e;
            } catch (KafkaException | IllegalStateException e) {
                return null; // sending meets the same problem, and explains it
            }
        }
        over = true;
        return last;
    }
}
