package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class TopicWaitTest {

    /** Fails some lookups of a topic, each as if it had blocked for its whole time. */
    private static final class Lookups extends MockProducer<byte[], byte[]> {
        private final KafkaException failure;
        private int failures;
        private int asked;

        Lookups(int failures, KafkaException failure) {
            this.failures = failures;
            this.failure = failure;
        }

        @Override
        public synchronized List<PartitionInfo> partitionsFor(String topic) {
            asked++;
            if (failures-- > 0) {
                throw failure;
            }
            return List.of();
        }
    }

    @Test
    void aTopicThatIsCreatedMeanwhileIsFound() {
        Lookups producer = new Lookups(5, new TimeoutException("unknown"));
        TopicWait wait = new TopicWait(6);

        assertThat(wait.await(producer, "orders")).isNull();
        assertThat(wait.await(producer, "orders")).isNull();
        assertThat(producer.asked).as("a known topic costs nothing").isEqualTo(6);
    }

    @Test
    void aTopicThatNeverComesIsWaitedForOnce() {
        Lookups producer = new Lookups(100, new TimeoutException("unknown"));
        TopicWait wait = new TopicWait(6);

        assertThat(wait.await(producer, "orders")).hasMessage("unknown");
        assertThat(wait.await(producer, "orders")).as("left to the sending").isNull();
        assertThat(producer.asked).isEqualTo(6);
    }

    @Test
    void otherFailuresAreLeftToTheSending() {
        Lookups producer = new Lookups(100, new InvalidTopicException("no"));

        assertThat(new TopicWait(6).await(producer, "orders")).isNull();
        assertThat(producer.asked).isEqualTo(1);
    }

    @Test
    void aGivenTimeoutIsKept() {
        Lookups producer = new Lookups(100, new TimeoutException("unknown"));

        assertThat(new TopicWait(0).await(producer, "orders")).isNull();
        assertThat(producer.asked).isZero();
    }
}
