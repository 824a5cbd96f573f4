package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** A record is sent only while none before it has failed. */
class RecordSequenceTest {

    /** Refuses a record as Kafka's producer does without metadata of the topic: the call returns a failed future. */
    private static final class Refusing extends MockProducer<byte[], byte[]> {

        private final String refused;

        Refusing(String refused) {
            super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
            this.refused = refused;
        }

        @Override
        public synchronized Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> record, Callback callback) {
            if (text(record).equals(refused)) {
                TimeoutException problem = new TimeoutException("no metadata");
                callback.onCompletion(null, problem);
                return CompletableFuture.failedFuture(problem);
            }
            return super.send(record, callback);
        }
    }

    @Test
    void allRecordsAreAcknowledgedInTheirOrder() throws Exception {
        Refusing producer = new Refusing("none");
        new RecordSequence(producer).send(records("e1", "e2", "e3"));
        assertThat(producer.history()).extracting(RecordSequenceTest::text).containsExactly("e1", "e2", "e3");
        assertThat(producer.closed()).isFalse();
    }

    @Test
    void nothingIsSentBehindARecordThatCannotBeSent() {
        Refusing producer = new Refusing("e2");
        assertThatThrownBy(() -> new RecordSequence(producer).send(records("e1", "e2", "e3")))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(TimeoutException.class);
        assertThat(producer.history()).extracting(RecordSequenceTest::text).containsExactly("e1");
        assertThat(producer.closed()).isTrue();
    }

    @Test
    void theFirstFailureOfTheBrokerClosesTheProducerSoThatWhatIsBufferedIsNotSent() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public synchronized void flush() {
                        errorNext(new TimeoutException("e1 has expired"));
                        assertThat(closed()).as("before the next batch goes").isTrue();
                        errorNext(new IllegalStateException("closed"));
                    }
                };
        assertThatThrownBy(() -> new RecordSequence(producer).send(records("e1", "e2")))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseMessage("e1 has expired");
    }

    private static List<ProducerRecord<byte[], byte[]>> records(String... texts) {
        return List.of(texts).stream()
                .map(text -> new ProducerRecord<byte[], byte[]>("events", text.getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static String text(ProducerRecord<byte[], byte[]> record) {
        return new String(record.value(), StandardCharsets.UTF_8);
    }
}
