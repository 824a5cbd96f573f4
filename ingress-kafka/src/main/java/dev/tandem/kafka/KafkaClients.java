package dev.tandem.kafka;

import dev.tandem.kafka.KafkaHealth.Problem;
import dev.tandem.task.LogEnds;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/**
 * The consumer and the admin client of one source. They are created once brokers can be reached and the topic exists.
 * Used by the polling thread; only {@link #wakeup} may be called by any thread.
 */
final class KafkaClients implements AutoCloseable {

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(3);
    private static final long RETRY_MILLIS = 1_000;

    private final KafkaSettings settings;
    private final KafkaHealth health;
    private final AnswerQueue answers;
    private final PollMemory memory;
    private volatile @Nullable KafkaConsumer<byte[], byte[]> consumer;
    private @Nullable KafkaAdmin admin;
    private @Nullable BrokerLiveness liveness;
    private long connectAt;
    /** Whether brokers answered and the topic exists, so that the consumer can be created. */
    private boolean ready;

    private int partitions;

    KafkaClients(KafkaSettings settings, KafkaHealth health, AnswerQueue answers, PollMemory memory) {
        this.settings = settings;
        this.memory = memory;
        this.health = health;
        this.answers = answers;
    }

    /** Returns the consumer, or null before the first connection. */
    @Nullable
    KafkaConsumer<byte[], byte[]> consumer() {
        return consumer;
    }

    /** Returns a metric of the consumer; NaN if there is none. */
    double metric(String name) {
        KafkaConsumer<byte[], byte[]> connected = consumer;
        return connected == null
                ? Double.NaN
                : connected.metrics().values().stream()
                        .filter(each -> each.metricName().name().equals(name))
                        .map(each -> (Double) each.metricValue())
                        .findFirst()
                        .orElse(Double.NaN);
    }

    /** Returns the admin client, or null before the first attempt to connect. */
    @Nullable
    KafkaAdmin maybeAdmin() {
        return admin;
    }

    /** @throws IllegalStateException before there is a {@link #consumer} */
    KafkaAdmin admin() {
        KafkaAdmin current = admin;
        if (current == null) {
            throw new IllegalStateException("Not connected yet");
        }
        return current;
    }

    /** Asks how many partitions the topic has. @return fails before the first attempt to connect */
    CompletionStage<LogEnds> lookUp(boolean withEnds) {
        KafkaAdmin current = admin;
        return current == null
                ? CompletableFuture.failedFuture(new IllegalStateException("Not connected yet"))
                : current.lookUp(withEnds);
    }

    /** Interrupts a waiting poll of the consumer. May be called by any thread. */
    void wakeup() {
        KafkaConsumer<byte[], byte[]> waiting = consumer;
        if (waiting != null) {
            waiting.wakeup();
        }
    }

    /**
     * Tries to connect if it is time to.
     *
     * @param join whether to join the consumer group too, as soon as that is possible
     * @return when to call again. An answer that is awaited wakes the polling thread by itself
     */
    long connect(MonotonicClock clock, ConsumerRebalanceListener listener, boolean join) {
        if (ready && join) {
            subscribe(clock, listener);
            return clock.now();
        }
        if (ready) {
            health.connected();
        } else if (clock.now() >= connectAt) {
            try {
                KafkaAdmin current = admin;
                if (current == null) {
                    current = new KafkaAdmin(settings);
                    admin = current;
                }
                // Once brokers have answered, there is nothing to do before the group may be joined.
                connectAt = Long.MAX_VALUE;
                answers.onAnswer(current.ensureTopic(), this::connected, problem -> connectFailed(problem, clock));
            } catch (KafkaException e) {
                connectFailed(e, clock);
            }
        }
        return connectAt;
    }

    private void connected(KafkaAdmin.Topic topic) {
        partitions = topic.partitions();
        if (topic.created()) {
            health.info("created the topic, which was missing");
        }
        ready = true;
        health.resolve(Problem.NEVER_CONNECTED);
    }

    private void subscribe(MonotonicClock clock, ConsumerRebalanceListener listener) {
        try {
            KafkaConsumer<byte[], byte[]> created = new KafkaConsumer<>(
                    FetchSizes.of(memory.budget, partitions)
                            .in(ClientProperties.consumer(settings), settings.properties()),
                    memory.records,
                    memory.records);
            created.subscribe(List.of(settings.topic()), listener);
            liveness = new BrokerLiveness(created.metrics(), clock.now());
            consumer = created;
        } catch (KafkaException e) {
            connectFailed(e, clock);
        }
    }

    private void connectFailed(Throwable problem, MonotonicClock clock) {
        ready = false;
        connectAt = clock.now() + RETRY_MILLIS;
        health.report(
                Problem.NEVER_CONNECTED,
                (KafkaErrors.isRefusal(problem) ? "cannot use the topic" : "cannot connect to Kafka")
                        + " at '" + settings.bootstrapServers() + "' (tandem.kafka.bootstrap-servers): "
                        + KafkaErrors.explain(problem, settings.topic()));
    }

    /** Updates the health if brokers have begun or stopped to answer. */
    void checkBrokers(long now) {
        BrokerLiveness current = liveness;
        if (current != null) {
            switch (current.check(now)) {
                case UNKNOWN -> {}
                case ANSWERING -> {
                    health.resolve(Problem.BROKERS_UNREACHABLE);
                    health.connected();
                }
                case DISCONNECTED -> health.report(Problem.BROKERS_UNREACHABLE, "no broker can be reached");
                case SILENT ->
                    health.report(Problem.BROKERS_UNREACHABLE, "connections to brokers are open, but none answers");
            }
        }
    }

    /** Leaves the group by closing the consumer. {@link #connect} makes a new one. */
    void closeConsumer() {
        KafkaConsumer<byte[], byte[]> closing = consumer;
        consumer = null;
        liveness = null;
        if (closing != null) {
            try {
                // A member with an id of its own would stay in the group until its session has timed out.
                closing.close(CloseOptions.timeout(CLOSE_TIMEOUT)
                        .withGroupMembershipOperation(GroupMembershipOperation.LEAVE_GROUP));
            } catch (KafkaException e) {
                health.warn("the consumer did not close cleanly, so the group may notice only after its session timeout"
                        + " that it left: " + KafkaErrors.explain(e));
            }
        }
    }

    /** Leaves the group and closes both clients. */
    @Override
    public void close() {
        closeConsumer();
        if (admin != null) {
            admin.close();
        }
    }
}
