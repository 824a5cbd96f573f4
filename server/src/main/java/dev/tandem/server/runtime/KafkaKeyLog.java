package dev.tandem.server.runtime;

import dev.tandem.kafka.KeyLogReader;
import dev.tandem.kafka.LogPart;
import dev.tandem.runtime.queues.BrokerSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.inspect.KeyLog;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.FailureText;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import org.apache.kafka.common.KafkaException;

/** Reads the log of a key from Kafka. Seldom, so each call has a consumer of its own. */
final class KafkaKeyLog implements KeyLog {

    private static final int MOST_AT_ONCE = 2;

    private static final KeyLogReader.Bounds BOUNDS =
            new KeyLogReader.Bounds(20, 10_000, 16L << 20, Duration.ofSeconds(3));

    private final TandemSettings settings;
    private final KeyLogReader reader = new KeyLogReader(BOUNDS);
    private final Semaphore places = new Semaphore(MOST_AT_ONCE);

    KafkaKeyLog(TandemSettings settings) {
        this.settings = settings;
    }

    @Override
    public LogPart read(String queue, String partition, String key, long before) {
        if (!places.tryAcquire()) {
            throw new BusyException(MOST_AT_ONCE + " others read logs here at this moment");
        }
        try {
            return reader.read(
                    BrokerSettings.kafka(
                            settings,
                            queue,
                            Objects.requireNonNull(settings.queues().get(queue))),
                    Integer.parseInt(partition),
                    key,
                    before);
        } catch (KafkaException e) {
            throw new UnavailableException("Kafka's log cannot be read: " + FailureText.of(e), e);
        } finally {
            places.release();
        }
    }
}
