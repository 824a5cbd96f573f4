package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP.BasicProperties;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Keys of an ordered queue stay in their sub-queue, whatever happens to the ring. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitRingIT extends RingFixture {

    @Override
    String uri() {
        return Brokers.rabbit().uri();
    }

    @Test
    void keysStayInTheirSubQueueIfTheyAreRoutingKeys() throws Exception {
        settings = settings.orderedByRoutingKey("#");
        Map<String, String> before = initialPlaces();
        loseRing();
        publishAll("gap");

        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            assertThat(places("gap")).isEqualTo(before);
        }
    }

    @Test
    void keysStayInTheirSubQueueWhenSeveralExecutorsReconnectAtOnce() throws Exception {
        Map<String, String> before = initialPlaces();
        loseRing();
        List<RabbitSourceDriver> loops = new ArrayList<>();
        try {
            publishAll("0");
            for (int i = 0; i < 5; i++) {
                loops.add(new RabbitSourceDriver(settings));
            }
            int rounds = 1;
            do {
                publishAll(Integer.toString(rounds++));
            } while (loops.stream()
                    .anyMatch(driver -> driver.poll().source.leasable().isEmpty()));
            for (int round = 0; round < rounds; round++) {
                assertThat(places(Integer.toString(round)))
                        .as("round %d", round)
                        .isEqualTo(before);
            }
        } finally {
            loops.forEach(RabbitSourceDriver::close);
        }
    }

    @Test
    void movesUnroutedMessagesUnchangedAndInOrder() throws Exception {
        initialPlaces();
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

        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
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
    void aMessageThatCannotBePublishedAgainIsADeadLetterAndTheOthersAreMoved() throws Exception {
        Map<String, String> before = initialPlaces();
        loseRing();
        // Its headers fill the frame, and rewriting the nested one needs a few bytes more.
        Object deep = HeaderFrameTest.tables(40);
        int size = headers(deep, 0).toFrame(1, 0).size();
        int frameMax = channel.getConnection().getFrameMax();
        channel.basicPublish(
                settings.exchange(), settings.queue(), true, headers(deep, frameMax - size), bytes("odd:one"));
        publishAll("gap");

        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            assertThat(places("gap")).isEqualTo(before);
            await().atMost(PATIENCE).until(() -> waiting(QueueTopology.deadLetterName(settings)) == 1);
            assertThat(waiting(unrouted())).isZero();
        }
    }

    private static BasicProperties headers(Object deep, int filling) {
        return new BasicProperties.Builder()
                .headers(Map.of("tandem-key", "k", "deep", deep, "filling", "x".repeat(filling)))
                .build();
    }

    @Test
    void anotherProcessContinuesIfTheRingBuilderDies() throws Exception {
        Map<String, String> before = initialPlaces();
        for (int bound : List.of(0, 5, SUB_QUEUES)) {
            loseRing();
            publishAll("gap");
            Connection dying = SharedRabbit.connect(uri());
            TopologyDeclarer declarer =
                    new TopologyDeclarer(dying, BrokerProduct.of(dying.getServerProperties()), settings, NO_LOG);
            assertThat(declarer.lockRing()).isTrue();
            declarer.declareRing(new DeclaredQueues(QueueTopology.subQueueNames(settings, bound), false));
            Channel holding = dying.createChannel();
            assertThat(holding.basicGet(unrouted(), false)).isNotNull();

            try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
                // The source works without the ring: messages in the sub-queues must not wait for it.
                assertThat(waiting(unrouted())).isEqualTo(KEYS - 1);
                dying.abort();
                assertThat(places("gap")).as("%d sub-queues were bound", bound).isEqualTo(before);
            }
        }
    }

    @Test
    void rebuildsARingThatIsDeletedWhileRunning() throws Exception {
        Map<String, String> before = initialPlaces();
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            loseRing();
            publishAll("lost");
            assertThat(places("lost")).isEqualTo(before);
        }
    }

    @Test
    void redeclaresAllThatIsDeletedWhileRunning() throws Exception {
        Map<String, String> before = initialPlaces();
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            channel.exchangeDelete(QueueTopology.keysExchange(settings));
            channel.exchangeDelete(QueueTopology.ringExchange(settings));
            channel.exchangeDelete(unrouted());
            channel.queueDelete(unrouted());
            await().atMost(PATIENCE).until(this::isRoutable);
            publishAll("again");
            assertThat(places("again")).isEqualTo(before);
        }
    }

    /** Otherwise it would get the last buckets until the next restart, and keys would move then. */
    @Test
    void aRecreatedSubQueueGetsItsKeysBack() throws Exception {
        Map<String, String> before = initialPlaces();
        channel.queueDelete(QueueTopology.subQueueName(settings, 3));
        consumed.remove(QueueTopology.subQueueName(settings, 3));

        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).connected()) {
            publishAll("again");
            assertThat(places("again")).isEqualTo(before);
        }
    }

    @Test
    void publishersBuildTheRingToo() throws Exception {
        Map<String, String> before = initialPlaces();
        loseRing();
        publishAll("gap");
        // A publisher tries to build the ring for a short time only, at its first task.
        await().atMost(PATIENCE).until(() -> {
            try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
                RabbitPublisherIT.get(publisher.publish(Task.of(settings.queue(), "k", bytes("publisher:k"))));
            }
            return waiting(unrouted()) == 0;
        });

        assertThat(places("gap")).isEqualTo(before);
    }

    @Test
    void refusesADurableRingExchangeAndSaysWhatToDo() throws Exception {
        initialPlaces();
        String ring = QueueTopology.ringExchange(settings);
        channel.exchangeDelete(ring);
        channel.exchangeDeclare(ring, QueueTopology.HASH_TYPE, true, false, Map.of("hash-header", "tandem-key"));
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings)) {
            driver.until("refused", () -> driver.source.status().detail().contains(ring));
            assertThat(driver.source.status().detail())
                    .contains(
                            "The exchange '" + ring + "' was declared differently from how Tandem declares it",
                            "'durable'",
                            "Delete it");

            channel.exchangeDelete(ring);
            driver.connected();
        }
    }

    private static final QueueLog NO_LOG = new QueueLog() {
        @Override
        public void info(String text) {}

        @Override
        public void warn(String text) {}
    };
}
