package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Envelope;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An ordered queue with many sub-queues and keys, and a record of which sub-queue each message reached. */
abstract class RingFixture {

    /** More than ten, so that the order of their names differs from that of their numbers. */
    static final int SUB_QUEUES = 12;

    static final int KEYS = 400;
    static final Duration PATIENCE = Brokers.PATIENCE;

    RabbitSettings settings;
    private Connection connection;
    Channel channel;
    private final AtomicInteger returned = new AtomicInteger();
    /** The messages consumed from sub-queues, those of each sub-queue in their order. */
    final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

    final Set<String> consumed = new HashSet<>();

    record Arrival(String queue, Envelope envelope, BasicProperties properties, String body) {
        String round() {
            return body.substring(0, body.indexOf(':'));
        }

        String key() {
            return body.substring(body.indexOf(':') + 1);
        }
    }

    /** Returns the broker's address. */
    abstract String uri();

    @BeforeEach
    void connect() throws IOException {
        settings = freshQueue();
        reconnect();
    }

    /** Returns the settings of an ordered queue that nobody has declared yet. */
    final RabbitSettings freshQueue() {
        String name = UniqueNames.fresh("orders");
        return RabbitSettings.of(uri(), name)
                .withExchange(name + ".in")
                .withPartitions(SUB_QUEUES)
                .orderedByHeader();
    }

    @AfterEach
    void disconnect() {
        connection.abort();
    }

    final void reconnect() throws IOException {
        connection = SharedRabbit.connect(uri());
        channel = connection.createChannel();
        channel.confirmSelect();
        channel.addReturnListener(message -> returned.incrementAndGet());
        consumed.clear();
    }

    /** Deletes the ring, as a restart of the broker does. */
    final void loseRing() throws IOException {
        channel.exchangeDelete(QueueTopology.ringExchange(settings));
    }

    final String unrouted() {
        return QueueTopology.unroutedName(settings);
    }

    /** Publishes a message for each key and waits until the broker has them all. */
    final void publishAll(String round) throws Exception {
        for (int i = 0; i < KEYS; i++) {
            String key = "key-" + i;
            BasicProperties properties = new BasicProperties.Builder()
                    .deliveryMode(2)
                    .headers(Map.of("tandem-key", key))
                    .build();
            String routingKey = settings.keyIsRoutingKey() ? key : settings.queue();
            channel.basicPublish(settings.exchange(), routingKey, true, properties, bytes(round + ":" + key));
        }
        channel.waitForConfirmsOrDie(PATIENCE.toMillis());
        assertThat(returned).as("returned messages").hasValue(0);
    }

    final Map<String, String> initialPlaces() throws Exception {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            publishAll("first");
            return places("first");
        }
    }

    /** Waits for all messages of the round, and returns the sub-queue of each key. Fails if a message arrived twice. */
    final Map<String, String> places(String round) throws IOException {
        consume();
        await().atMost(PATIENCE).until(() -> of(round).size() >= KEYS);
        Map<String, String> places = new TreeMap<>();
        of(round)
                .forEach(arrival -> assertThat(places.put(arrival.key(), arrival.queue()))
                        .as("second arrival of %s", arrival.body())
                        .isNull());
        arrivals.removeIf(arrival -> arrival.round().equals(round));
        return places;
    }

    private List<Arrival> of(String round) {
        return arrivals.stream().filter(a -> a.round().equals(round)).toList();
    }

    /** Consumes all sub-queues. */
    final void consume() throws IOException {
        for (String queue : QueueTopology.subQueueNames(settings, settings.partitions())) {
            if (consumed.add(queue)) {
                channel.basicConsume(
                        queue,
                        true,
                        (tag, m) ->
                                arrivals.add(new Arrival(queue, m.getEnvelope(), m.getProperties(), text(m.getBody()))),
                        tag -> {});
            }
        }
    }

    final int waiting(String queue) throws IOException {
        return channel.queueDeclarePassive(queue).getMessageCount();
    }

    final boolean isRoutable() throws Exception {
        returned.set(0);
        channel.basicPublish(settings.exchange(), settings.queue(), true, new BasicProperties(), bytes("probe:"));
        channel.waitForConfirmsOrDie(PATIENCE.toMillis());
        return returned.get() == 0;
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
