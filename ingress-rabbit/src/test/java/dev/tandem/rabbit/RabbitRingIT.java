package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.Envelope;
import dev.tandem.local.LocalAmqp;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.Names;
import dev.tandem.testkit.SharedRabbit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys of an ordered queue stay in their sub-queue, whatever happens to the exchange that spreads them. */
class RabbitRingIT {

    /** So many that their names sort otherwise than their numbers. */
    private static final int SUB_QUEUES = 12;

    private static final int KEYS = 400;
    /** From RabbitMQ 4.2 the ring may outlive the broker: it is kept on disc. */
    private static final int WITH_KHEPRI = 0;

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private static LocalAmqp rabbit;

    private RabbitSettings settings;
    private Connection connection;
    private Channel channel;
    private final AtomicInteger returned = new AtomicInteger();
    /** What came out of sub-queues, and where; in order for each. */
    private final Queue<Arrival> arrivals = new ConcurrentLinkedQueue<>();

    private final Set<String> consumed = new HashSet<>();

    private record Arrival(String queue, Envelope envelope, BasicProperties properties, String body) {
        String round() {
            return body.substring(0, body.indexOf(':'));
        }

        String key() {
            return body.substring(body.indexOf(':') + 1);
        }
    }

    @BeforeAll
    static void start() {
        rabbit = Brokers.ownRabbit();
    }

    @AfterAll
    static void end() {
        if (rabbit != null) {
            rabbit.close();
        }
    }

    @BeforeEach
    void connect() throws IOException {
        String name = Names.fresh("orders");
        settings = RabbitSettings.of(rabbit.address(), name)
                .withExchange(name + ".in")
                .withPartitions(SUB_QUEUES)
                .orderedByHeader();
        reconnect();
    }

    @AfterEach
    void disconnect() {
        connection.abort();
    }

    @Test
    void keysStayInTheirSubQueueOverRestartsOfTheBroker() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        assertThat(Set.copyOf(before.values())).as("sub-queues in use").hasSize(SUB_QUEUES);

        for (int restart = 1; restart <= 2; restart++) {
            restart();
            publishAll("gap");
            assertThat(waiting(unrouted())).as("what waits for the ring").isIn(KEYS, WITH_KHEPRI);

            try (Loop loop = new Loop(settings).connected()) {
                assertThat(places("gap"))
                        .as("restart %d, what came before executors", restart)
                        .isEqualTo(before);
                publishAll("later");
                assertThat(places("later"))
                        .as("restart %d, what came after", restart)
                        .isEqualTo(before);
            }
        }
    }

    @Test
    void theSameWithRoutingKeys() throws Exception {
        settings = settings.orderedByRoutingKey("#");
        Map<String, String> before = placesBeforeAnything();
        loseRing();
        publishAll("gap");

        try (Loop loop = new Loop(settings).connected()) {
            assertThat(places("gap")).isEqualTo(before);
        }
    }

    @Test
    void executorsThatComeBackAtOnceAgreeWhileAPublisherGoesOn() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        loseRing();
        List<Loop> loops = new ArrayList<>();
        try {
            publishAll("0");
            for (int i = 0; i < 5; i++) {
                loops.add(new Loop(settings)); // It connects by itself.
            }
            int rounds = 1;
            do {
                publishAll(Integer.toString(rounds++));
            } while (loops.stream()
                    .anyMatch(loop -> loop.poll().source.leasable().isEmpty()));
            for (int round = 0; round < rounds; round++) {
                assertThat(places(Integer.toString(round)))
                        .as("round %d", round)
                        .isEqualTo(before);
            }
        } finally {
            loops.forEach(Loop::close);
        }
    }

    @Test
    void theWayOpensThoughAPublisherNeverPauses() throws Exception {
        placesBeforeAnything();
        loseRing();
        AtomicBoolean publishing = new AtomicBoolean(true);
        CompletableFuture<Void> publisher = CompletableFuture.runAsync(() -> {
            try (Connection own = SharedRabbit.connect(rabbit.address())) {
                Channel channel = own.createChannel();
                for (int i = 0; publishing.get(); i++) {
                    BasicProperties key = new BasicProperties.Builder()
                            .headers(Map.of("tandem-key", "key-" + i % KEYS))
                            .build();
                    channel.basicPublish(settings.exchange(), settings.queue(), true, key, bytes("never:pauses"));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        await().atMost(PATIENCE).until(() -> waiting(unrouted()) > KEYS);
        try (Loop loop = new Loop(settings).connected()) {
            await().atMost(PATIENCE).until(() -> waiting(unrouted()) == 0);
            assertThat(publisher).isNotDone();
        } finally {
            publishing.set(false);
            publisher.join();
        }
    }

    @Test
    void whatCameWhileThereWasNoRingIsAsItWasAndInOrder() throws Exception {
        placesBeforeAnything();
        loseRing();
        BasicProperties properties = new BasicProperties.Builder()
                .appId("shop")
                .contentEncoding("identity")
                .contentType("text/plain")
                .correlationId("c-1")
                .deliveryMode(2)
                .headers(Map.of("tandem-key", "k", "number", 7L, "nested", Map.of("a", List.of(1, 2))))
                .messageId("m-1")
                .priority(3)
                .replyTo("answers")
                .timestamp(new Date(1_790_000_000_000L))
                .type("welcome")
                .userId("guest")
                .build();
        int count = 1_000;
        for (int i = 0; i < count; i++) {
            channel.basicPublish(settings.exchange(), settings.queue(), true, properties, bytes("gap:" + i));
        }
        channel.waitForConfirmsOrDie(PATIENCE.toMillis());

        try (Loop loop = new Loop(settings).connected()) {
            await().atMost(PATIENCE).until(() -> waiting(unrouted()) == 0);
        }
        consume();
        await().atMost(PATIENCE).until(() -> arrivals.size() >= count);
        assertThat(arrivals.stream().map(Arrival::key))
                .containsExactlyElementsOf(
                        IntStream.range(0, count).mapToObj(Integer::toString).toList());
        assertThat(arrivals).allSatisfy(message -> {
            assertThat(message.envelope().getRoutingKey()).isEqualTo(settings.queue());
            BasicProperties found = message.properties();
            assertThat(found.getHeaders().toString()).contains("tandem-key=k", "number=7", "nested={a=[1, 2]}");
            assertThat(found.getHeaders()).hasSize(3);
            assertThat(found.builder().headers(null).build())
                    .isEqualTo(properties.builder().headers(null).userId(null).build());
        });
    }

    @Test
    void whoDiesWhileMakingTheRingIsFollowedByTheNext() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        for (int bound : List.of(0, 5, SUB_QUEUES)) {
            loseRing();
            publishAll("gap");
            Connection dying = SharedRabbit.connect(rabbit.address());
            Declarer declarer = new Declarer(dying, Broker.of(dying.getServerProperties()), settings, NO_NOTES);
            assertThat(declarer.lock()).isTrue();
            declarer.makeRing(new Declarer.Declared(Topology.subQueueNames(settings, bound), false));
            Channel holding = dying.createChannel();
            assertThat(holding.basicGet(unrouted(), false)).isNotNull();

            try (Loop loop = new Loop(settings).connected()) {
                // It works without: what is in the sub-queues is not to wait.
                assertThat(waiting(unrouted())).isEqualTo(KEYS - 1);
                dying.abort();
                assertThat(places("gap")).as("%d were bound", bound).isEqualTo(before);
            }
        }
    }

    @Test
    void aRingThatIsDeletedInRunningIsMadeAgain() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        try (Loop loop = new Loop(settings).connected()) {
            loseRing();
            publishAll("lost");
            assertThat(places("lost")).isEqualTo(before);
        }
    }

    @Test
    void allThatIsDeletedInRunningIsMadeAgain() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        try (Loop loop = new Loop(settings).connected()) {
            channel.exchangeDelete(Topology.keysName(settings));
            channel.exchangeDelete(Topology.ringName(settings));
            channel.exchangeDelete(unrouted());
            channel.queueDelete(unrouted());
            await().atMost(PATIENCE).until(this::hasAWay);
            publishAll("again");
            assertThat(places("again")).isEqualTo(before);
        }
    }

    /** Else its buckets would be the last ones until the next restart, and keys would move then. */
    @Test
    void aSubQueueThatWasDeletedGetsItsKeysBack() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        channel.queueDelete(Topology.subQueueName(settings, 3));
        consumed.remove(Topology.subQueueName(settings, 3));

        try (Loop loop = new Loop(settings).connected()) {
            publishAll("again");
            assertThat(places("again")).isEqualTo(before);
        }
    }

    @Test
    void keysMoveWithMoreSubQueuesButNotByTheNextRestart() throws Exception {
        placesBeforeAnything();
        settings = settings.withPartitions(SUB_QUEUES + 4);
        Map<String, String> grown = placesBeforeAnything();
        restart();

        assertThat(placesBeforeAnything()).isEqualTo(grown);
    }

    @Test
    void publishersMakeTheRingToo() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        loseRing();
        publishAll("gap");
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
            publisher
                    .publish(Task.of(settings.queue(), "k", bytes("publisher:k")))
                    .toCompletableFuture()
                    .get();
        }

        assertThat(places("gap")).isEqualTo(before);
    }

    @Test
    void anExchangeThatWouldOutliveTheBrokerIsRefusedByNameAndRemedy() throws Exception {
        placesBeforeAnything();
        String ring = Topology.ringName(settings);
        channel.exchangeDelete(ring);
        channel.exchangeDeclare(ring, Topology.HASH_TYPE, true, false, Map.of("hash-header", "tandem-key"));
        try (Loop loop = new Loop(settings)) {
            loop.until("refused", () -> loop.source.status().detail().contains(ring));
            assertThat(loop.source.status().detail())
                    .contains("The exchange '" + ring + "' is not as Tandem makes it", "'durable'", "Delete it");

            channel.exchangeDelete(ring);
            loop.connected();
        }
    }

    private static final Declarer.Notes NO_NOTES = new Declarer.Notes() {
        @Override
        public void info(String text) {}

        @Override
        public void warn(String text) {}
    };

    private void reconnect() throws IOException {
        connection = SharedRabbit.connect(rabbit.address());
        channel = connection.createChannel();
        channel.confirmSelect();
        channel.addReturnListener(message -> returned.incrementAndGet());
        consumed.clear();
    }

    private void restart() throws IOException {
        rabbit.stop();
        rabbit.start();
        reconnect();
    }

    /** As a restart of a broker does whose ring is in memory, and sooner. */
    private void loseRing() throws IOException {
        channel.exchangeDelete(Topology.ringName(settings));
    }

    private String unrouted() {
        return Topology.unroutedName(settings);
    }

    /** Publishes a message for each key and waits until the broker has them all. */
    private void publishAll(String round) throws Exception {
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
        assertThat(returned).as("messages without a way").hasValue(0);
    }

    private Map<String, String> placesBeforeAnything() throws Exception {
        try (Loop loop = new Loop(settings).connected()) {
            publishAll("first");
            return places("first");
        }
    }

    /** Where the round's messages are, once they are all in sub-queues; fails when one is there twice. */
    private Map<String, String> places(String round) throws IOException {
        consume();
        await().atMost(PATIENCE).until(() -> of(round).size() >= KEYS);
        Map<String, String> places = new TreeMap<>();
        of(round)
                .forEach(arrival -> assertThat(places.put(arrival.key(), arrival.queue()))
                        .as("a copy of %s", arrival.body())
                        .isNull());
        arrivals.removeIf(arrival -> arrival.round().equals(round));
        return places;
    }

    private List<Arrival> of(String round) {
        return arrivals.stream().filter(a -> a.round().equals(round)).toList();
    }

    /** Takes all that comes into sub-queues. */
    private void consume() throws IOException {
        for (String queue : Topology.subQueueNames(settings, settings.partitions())) {
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

    private int waiting(String queue) throws IOException {
        return channel.queueDeclarePassive(queue).getMessageCount();
    }

    private boolean hasAWay() throws Exception {
        returned.set(0);
        channel.basicPublish(settings.exchange(), settings.queue(), true, new BasicProperties(), bytes("probe:"));
        channel.waitForConfirmsOrDie(PATIENCE.toMillis());
        return returned.get() == 0;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
