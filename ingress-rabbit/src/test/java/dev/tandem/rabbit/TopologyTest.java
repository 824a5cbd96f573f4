package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.rabbit.Topology.Exchange;
import dev.tandem.rabbit.Topology.ExchangeBinding;
import dev.tandem.rabbit.Topology.Part;
import dev.tandem.rabbit.Topology.Queue;
import dev.tandem.rabbit.Topology.QueueBinding;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TopologyTest {

    private static final Broker RABBIT = new Broker("RabbitMQ", "4.1.2");
    private static final Broker QPID = new Broker("qpid", "10.1.0");

    private final RabbitSettings settings =
            RabbitSettings.of("amqp://localhost", "mail").withExchange("tasks").withRoutingKey("mail.#");

    @Test
    void anUnorderedQueueIsAQuorumQueueThatDropsNothing() {
        List<Part> parts = Topology.unordered(settings, RABBIT, false);

        assertThat(parts)
                .containsExactly(
                        new Exchange("tasks", "topic", Map.of()),
                        new Exchange("mail.dead-letter", "fanout", Map.of()),
                        new Queue("mail.dead-letter", Map.of("x-queue-type", "quorum", "x-delivery-limit", 1_000_000)),
                        new QueueBinding("mail.dead-letter", "mail.dead-letter", ""),
                        new Queue(
                                "mail",
                                Map.of(
                                        "x-queue-type",
                                        "quorum",
                                        "x-delivery-limit",
                                        1_000_000,
                                        "x-dead-letter-exchange",
                                        "mail.dead-letter",
                                        "x-dead-letter-strategy",
                                        "at-least-once",
                                        "x-overflow",
                                        "reject-publish")),
                        new QueueBinding("mail", "tasks", "mail.#"));
    }

    @Test
    void otherBrokersGetNoArgumentThatTheyDontKnow() {
        assertThat(Topology.unordered(settings, QPID, false))
                .containsExactly(
                        new Exchange("tasks", "topic", Map.of()),
                        new Queue("mail", Map.of()),
                        new QueueBinding("mail", "tasks", "mail.#"));
    }

    @Test
    void aForeignQueueIsOnlyBound() {
        assertThat(Topology.unordered(settings.withBrokerQueue("theirs"), RABBIT, true))
                .containsExactly(
                        new Exchange("tasks", "topic", Map.of()), new QueueBinding("theirs", "tasks", "mail.#"));
    }

    @Test
    void anOrderedQueueHasSubQueuesWithOneActiveConsumerAndAPlaceForWhatComesWithoutARing() {
        List<Part> parts = Topology.ordered(settings.orderedByHeader(), 2);

        assertThat(parts)
                .contains(
                        new Exchange("mail.unrouted", "fanout", Map.of()),
                        new QueueBinding("mail.unrouted", "mail.unrouted", ""),
                        new Exchange("mail.keys", "fanout", Map.of("alternate-exchange", "mail.unrouted")))
                .endsWith(new ExchangeBinding("mail.keys", "tasks", "mail.#"));
        assertThat(parts.stream().filter(p -> p instanceof Queue q && q.name().matches("mail\\.\\d")))
                .hasSize(2)
                .allSatisfy(p -> assertThat(((Queue) p).arguments()).containsEntry("x-single-active-consumer", true));
        assertThat(parts.stream().filter(p -> p instanceof Queue q && q.name().equals("mail.unrouted")))
                .singleElement()
                .satisfies(p -> assertThat(((Queue) p).arguments())
                        .containsEntry("x-queue-type", "quorum")
                        .containsEntry("x-delivery-limit", 1_000_000));
        assertThat(parts.stream().filter(Exchange.class::isInstance)).allMatch(p -> ((Exchange) p).durable());
    }

    @Test
    void theRingDoesNotOutliveABrokerAndIsBoundInTheOrderOfTheNumbers() {
        List<Part> parts = Topology.ring(settings.orderedByHeader(), 12);

        assertThat(parts.get(0))
                .isEqualTo(new Exchange(
                        "mail.keys.ring", "x-consistent-hash", false, Map.of("hash-header", "tandem-key")));
        assertThat(parts.subList(1, parts.size()))
                .containsExactlyElementsOf(IntStream.range(0, 12)
                        .mapToObj(i -> new QueueBinding("mail." + i, "mail.keys.ring", "1"))
                        .toList());
        assertThat(Topology.wayToRing(settings.orderedByHeader()))
                .isEqualTo(new ExchangeBinding("mail.keys.ring", "mail.keys", ""));
    }

    @Test
    void byRoutingKeyTheRingHashesThat() {
        assertThat(Topology.ring(settings.orderedByRoutingKey("mail.*"), 1))
                .contains(new Exchange("mail.routing-keys.ring", "x-consistent-hash", false, Map.of()));
        assertThat(Topology.ordered(settings.orderedByRoutingKey("mail.*"), 1))
                .contains(new Exchange("mail.routing-keys", "fanout", Map.of("alternate-exchange", "mail.unrouted")));
    }

    @Test
    void aBrokerIsKnownByWhatItSaysOfItself() {
        assertThat(Broker.of(Map.of("product", "RabbitMQ", "version", "3.10.8")))
                .isEqualTo(new Broker("RabbitMQ", "3.10.8"))
                .hasToString("RabbitMQ 3.10.8");
        assertThat(Broker.of(Map.of()).isRabbit()).isFalse();
        assertThat(Broker.of(Map.of())).hasToString("a broker that does not name itself");
    }

    @Test
    void versionsAreComparedAsNumbers() {
        assertThat(new Broker("RabbitMQ", "3.9.29").isOlderThan(3, 10)).isTrue();
        assertThat(new Broker("RabbitMQ", "3.10.8").isOlderThan(3, 10)).isFalse();
        assertThat(new Broker("RabbitMQ", "4.3.0-rc.1").isOlderThan(3, 10)).isFalse();
        assertThat(new Broker("RabbitMQ", "").isOlderThan(3, 10)).isFalse();
        assertThat(new Broker("RabbitMQ", "next").isOlderThan(3, 10)).isFalse();
    }
}
