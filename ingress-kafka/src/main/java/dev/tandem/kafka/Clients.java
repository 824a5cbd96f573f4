package dev.tandem.kafka;

import dev.tandem.kafka.Health.Trouble;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * The Kafka clients of one source: made when brokers can be reached and the topic is there, watched, and closed. Used by
 * the loop's thread; only {@link #wakeup} may come from any.
 */
final class Clients implements AutoCloseable {

    private static final Duration CLOSE = Duration.ofSeconds(3);
    private static final long RETRY_MILLIS = 1_000;

    private final KafkaSettings settings;
    private final Health health;
    private final Inbox inbox;
    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;
    private @Nullable GroupAdmin admin;
    private @Nullable Link link;
    private long tryAt;

    Clients(KafkaSettings settings, Health health, Inbox inbox) {
        this.settings = settings;
        this.health = health;
        this.inbox = inbox;
    }

    /** Null as long as nothing could be reached. */
    @Nullable
    KafkaConsumer<byte[], byte[]> consumer() {
        return consumer;
    }

    /** @throws IllegalStateException before there is a {@link #consumer} */
    GroupAdmin admin() {
        GroupAdmin asked = admin;
        if (asked == null) {
            throw new IllegalStateException("Not connected yet");
        }
        return asked;
    }

    void wakeup() {
        KafkaConsumer<byte[], byte[]> waiting = consumer;
        if (waiting != null) {
            waiting.wakeup();
        }
    }

    /** Tries to get connected, if it is time to. Returns when to try again; an answer that is awaited comes by itself. */
    long connect(Millis clock, ConsumerRebalanceListener listener) {
        if (clock.now() >= tryAt) {
            try {
                GroupAdmin asked = admin;
                if (asked == null) {
                    asked = new GroupAdmin(settings);
                    admin = asked;
                }
                tryAt = Long.MAX_VALUE;
                inbox.await(
                        asked.ensureTopic(),
                        created -> subscribe(created, clock, listener),
                        problem -> failed(problem, clock));
            } catch (KafkaException e) {
                failed(e, clock);
            }
        }
        return tryAt;
    }

    private void subscribe(boolean created, Millis clock, ConsumerRebalanceListener listener) {
        if (created) {
            health.info("the topic was missing and is created");
        }
        try {
            KafkaConsumer<byte[], byte[]> made = new KafkaConsumer<>(
                    ClientProperties.consumer(settings), new ByteArrayDeserializer(), new ByteArrayDeserializer());
            made.subscribe(List.of(settings.topic()), listener);
            link = new Link(made.metrics(), clock.now());
            consumer = made;
            health.clear(Trouble.START);
        } catch (KafkaException e) {
            failed(e, clock);
        }
    }

    private void failed(Throwable problem, Millis clock) {
        tryAt = clock.now() + RETRY_MILLIS;
        health.set(Trouble.START, "Kafka can't be used: " + Problems.explain(problem));
    }

    /** Looks now and then whether brokers answer. */
    void watch(long now) {
        Link watched = link;
        if (watched != null) {
            switch (watched.look(now)) {
                case NEW -> {}
                case UP -> {
                    health.clear(Trouble.LINK);
                    health.connected();
                }
                case ALONE -> health.set(Trouble.LINK, "no broker can be reached");
                case SILENT -> health.set(Trouble.LINK, "brokers are connected, but none answers");
            }
        }
    }

    /** Leaves the group. */
    @Override
    public void close() {
        KafkaConsumer<byte[], byte[]> made = consumer;
        consumer = null;
        if (made != null) {
            try {
                made.close(CloseOptions.timeout(CLOSE));
            } catch (KafkaException e) {
                health.warn("the consumer did not close cleanly: " + Problems.explain(e));
            }
        }
        if (admin != null) {
            admin.close();
        }
    }
}
