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

/** Keys of an ordered queue stay in their sub-queue, whatever happens to the exchange that spreads them. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitRingIT extends RingFixture {

    @Override
    String uri() {
        return Brokers.rabbit().uri();
    }

    @Test
    void keysThatAreRoutingKeysStayToo() throws Exception {
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
            Connection dying = SharedRabbit.connect(uri());
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
    void publishersMakeTheRingToo() throws Exception {
        Map<String, String> before = placesBeforeAnything();
        loseRing();
        publishAll("gap");
        // One publisher tries for a short while only, at its first task.
        await().atMost(PATIENCE).until(() -> {
            try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
                RabbitPublisherIT.get(publisher.publish(Task.of(settings.queue(), "k", bytes("publisher:k"))));
            }
            return waiting(unrouted()) == 0;
        });

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
}
