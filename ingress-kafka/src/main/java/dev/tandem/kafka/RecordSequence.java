package dev.tandem.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * Sends records in their order, so that none is sent once one before it has failed. The first failure closes the producer: that drops
 * what still waits in its buffer.
 */
final class RecordSequence {

    private final Producer<byte[], byte[]> producer;
    private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

    RecordSequence(Producer<byte[], byte[]> producer) {
        this.producer = producer;
    }

    /**
     * Waits until the broker has acknowledged all records.
     *
     * @throws ExecutionException with the first failure as its cause; the producer is closed then
     */
    void send(List<ProducerRecord<byte[], byte[]>> records) throws ExecutionException, InterruptedException {
        List<Future<RecordMetadata>> sent = new ArrayList<>(records.size());
        try {
            for (ProducerRecord<byte[], byte[]> record : records) {
                sent.add(producer.send(record, (metadata, problem) -> sent(problem)));
                throwFailure();
            }
            producer.flush();
            for (Future<RecordMetadata> each : sent) {
                each.get();
            }
        } catch (ExecutionException e) {
            throwFailure(); // Records behind the first failure fail because the producer is closed.
            throw e;
        } catch (RuntimeException e) {
            stop(e);
            throwFailure();
            throw e; // Not reached: there is a failure now.
        }
    }

    /** Runs on the thread of the producer, or on the caller's if nothing was sent. */
    private void sent(@Nullable Exception problem) {
        if (problem != null) {
            stop(problem);
        }
    }

    private void stop(Exception problem) {
        if (failure.compareAndSet(null, problem)) {
            try {
                producer.close(Duration.ZERO);
            } catch (KafkaException e) {
                // The thread is interrupted, and does not wait for the producer, which ends all the same.
            }
        }
    }

    private void throwFailure() throws ExecutionException {
        Exception first = failure.get();
        if (first != null) {
            throw new ExecutionException(first);
        }
    }
}
