package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.rabbit.QueueTopology.Exchange;
import dev.tandem.rabbit.QueueTopology.ExchangeBinding;
import dev.tandem.rabbit.QueueTopology.Part;
import dev.tandem.rabbit.QueueTopology.Queue;
import dev.tandem.rabbit.QueueTopology.QueueBinding;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class QueueTopologyTest {

    private static final BrokerProduct RABBIT = new BrokerProduct("RabbitMQ", "4.1.2");
    private static final BrokerProduct QPID = new BrokerProduct("qpid", "10.1.0");

    private final RabbitSettings settings =
            RabbitSettings.of("amqp://localhost", "mail").withExchange("tasks").withRoutingKey("mail.#");

    @Test
    void anUnorderedQueueIsAQuorumQueueWithDeadLetters() {
        List<Part> parts = QueueTopology.unordered(settings, RABBIT, false);

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
    void otherBrokersGetNoArguments() {
        assertThat(QueueTopology.unordered(settings, QPID, false))
                .containsExactly(
                        new Exchange("tasks", "topic", Map.of()),
                        new Queue("mail", Map.of()),
                        new QueueBinding("mail", "tasks", "mail.#"));
    }

    @Test
    void onlyBindsAQueueDeclaredByOthers() {
        assertThat(QueueTopology.unordered(settings.withBrokerQueue("theirs"), RABBIT, true))
                .containsExactly(
                        new Exchange("tasks", "topic", Map.of()), new QueueBinding("theirs", "tasks", "mail.#"));
    }

    @Test
    void anOrderedQueueHasSubQueuesAndAQueueOfUnroutedMessages() {
        List<Part> parts = QueueTopology.ordered(settings.orderedByHeader(), 2);

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
    void theRingIsNotDurableAndItsBindingsAreInNumericalOrder() {
        List<Part> parts = QueueTopology.ring(settings.orderedByHeader(), 12);

        assertThat(parts.get(0))
                .isEqualTo(new Exchange(
                        "mail.keys.ring", "x-consistent-hash", false, Map.of("hash-header", "tandem-key")));
        assertThat(parts.subList(1, parts.size()))
                .containsExactlyElementsOf(IntStream.range(0, 12)
                        .mapToObj(i -> new QueueBinding("mail." + i, "mail.keys.ring", "1"))
                        .toList());
        assertThat(QueueTopology.ringBinding(settings.orderedByHeader()))
                .isEqualTo(new ExchangeBinding("mail.keys.ring", "mail.keys", ""));
    }

    @Test
    void theRingHashesRoutingKeysIfTheyAreTheKeys() {
        assertThat(QueueTopology.ring(settings.orderedByRoutingKey("mail.*"), 1))
                .contains(new Exchange("mail.routing-keys.ring", "x-consistent-hash", false, Map.of()));
        assertThat(QueueTopology.ordered(settings.orderedByRoutingKey("mail.*"), 1))
                .contains(new Exchange("mail.routing-keys", "fanout", Map.of("alternate-exchange", "mail.unrouted")));
    }

    @Test
    void readsProductAndVersionFromServerProperties() {
        assertThat(BrokerProduct.of(Map.of("product", "RabbitMQ", "version", "3.10.8")))
                .isEqualTo(new BrokerProduct("RabbitMQ", "3.10.8"))
                .hasToString("RabbitMQ 3.10.8");
        assertThat(BrokerProduct.of(Map.of()).isRabbit()).isFalse();
        assertThat(BrokerProduct.of(Map.of())).hasToString("an unnamed broker");
    }

    @Test
    void comparesVersionsAsNumbers() {
        assertThat(new BrokerProduct("RabbitMQ", "3.9.29").isOlderThan(3, 10)).isTrue();
        assertThat(new BrokerProduct("RabbitMQ", "3.10.8").isOlderThan(3, 10)).isFalse();
        assertThat(new BrokerProduct("RabbitMQ", "4.3.0-rc.1").isOlderThan(3, 10))
                .isFalse();
        assertThat(new BrokerProduct("RabbitMQ", "").isOlderThan(3, 10)).isFalse();
        assertThat(new BrokerProduct("RabbitMQ", "next").isOlderThan(3, 10)).isFalse();
    }
}
