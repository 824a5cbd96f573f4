package dev.tandem.rabbit;

import static dev.tandem.task.Utf8.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.rabbit.MessageEncoder.OutgoingMessage;
import dev.tandem.task.Publisher.InvalidTaskException;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.testkit.BrokerProxy;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RabbitPublisherIT {

    private RabbitSettings settings;

    @BeforeEach
    void names() {
        String name = UniqueNames.fresh("mail");
        settings = RabbitSettings.of(Brokers.rabbit().uri(), name)
                .withExchange(name + ".in")
                .withPartitions(1);
    }

    @Test
    void aPublishedTaskArrivesUnchanged() throws Exception {
        Task task = new Task(
                "o-1",
                settings.queue(),
                "welcome",
                "customer-7",
                "{}".getBytes(StandardCharsets.UTF_8),
                Map.of("content-type", "application/json", "correlation-id", "c", "traceparent", "00-1-2-01", "é", "ü"),
                1_790_000_000_123L,
                1_790_000_100_000L,
                60_000,
                3,
                "pay-1");
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
            PublishedId published = get(publisher.publish(task));

            assertThat(published.id()).isEqualTo("o-1");
            assertThat(published.place()).contains(settings.exchange(), settings.queue());
            try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
                driver.untilDelivered(1);
                assertThat(driver.all().get(0).task())
                        .usingRecursiveComparison()
                        .isEqualTo(task);
                assertThat(driver.all().get(0).identity()).startsWith("m");
            }
        }
    }

    @Test
    void confirmsManyTasksAndLosesNone() throws Exception {
        int count = 12_000;
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
                RabbitSourceDriver driver = new RabbitSourceDriver(settings.withPrefetch(65_535)).openAll()) {
            List<CompletionStage<PublishedId>> stages = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                stages.add(publisher.publish(task(null, Integer.toString(i))));
            }
            Set<String> ids = new HashSet<>();
            for (CompletionStage<PublishedId> stage : stages) {
                ids.add(get(stage).id());
            }
            driver.untilDelivered(count);

            assertThat(ids).as("ids of tasks without an id of their own").hasSize(count);
            assertThat(new HashSet<>(driver.bodies())).hasSize(count);
        }
    }

    @Test
    void tasksOfOneKeyKeepTheirOrder() throws Exception {
        RabbitSettings byHeader = settings.orderedByHeader().withPartitions(3);
        RabbitSettings byRoutingKey = RabbitSettings.of(settings.uri(), settings.queue() + "-2")
                .orderedByRoutingKey("r.#")
                .withPartitions(3);
        for (RabbitSettings ordered : List.of(byHeader, byRoutingKey)) {
            try (RabbitPublisher publisher = new RabbitPublisher(List.of(ordered));
                    RabbitSourceDriver driver = new RabbitSourceDriver(ordered).openAll()) {
                for (int i = 0; i < 30; i++) {
                    get(publisher.publish(new Task(
                            null,
                            ordered.queue(),
                            null,
                            i == 0 ? null : "r.k" + i % 5,
                            bytes("" + i),
                            Map.of(),
                            0,
                            0,
                            0,
                            0,
                            null)));
                }
                driver.untilDelivered(30);

                driver.delivered
                        .values()
                        .forEach(deliveries -> assertThat(deliveries.stream()
                                        .map(d -> Integer.parseInt(RabbitSourceDriver.body(d)))
                                        .toList())
                                .isSorted());
                assertThat(driver.all().stream().filter(d -> d.task().key() == null))
                        .singleElement()
                        .satisfies(d -> assertThat(RabbitSourceDriver.body(d)).isEqualTo("0"));
            }
        }
    }

    @Test
    void anUnroutableTaskFailsNamingExchangeAndRoutingKey() {
        RabbitSettings ordered = settings.orderedByRoutingKey("orders.*");
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(ordered))) {
            assertThatThrownBy(() -> get(publisher.publish(task("mail.7", "x"))))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContainingAll(
                            "no queue is bound to exchange '" + settings.exchange() + "' with the routing key 'mail.7'",
                            "'orders.*'");
        }
    }

    @Test
    void refusesTasksThatWouldBeUnreadableOnArrival() {
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings.withMaxPayload(3)))) {
            assertThatThrownBy(() -> get(publisher.publish(task(null, "four"))))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("over the limit of 3 bytes");
            assertThatThrownBy(() -> get(publisher.publish(Task.of("other", null, bytes("x")))))
                    .hasMessageContaining("The queue 'other' has no RabbitMQ exchange here");
        }
    }

    @Test
    void refusesATaskThatAmqpCannotCarryAndConfirmsTheOthers() throws Exception {
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
            get(publisher.publish(task(null, "before")));
            for (String name : List.of("n".repeat(256), "é".repeat(128))) {
                assertThatThrownBy(() -> get(publisher.publish(withHeader(name))))
                        .isInstanceOf(InvalidTaskException.class)
                        .hasMessageContaining("has 256 bytes, and AMQP allows 255");
            }
            get(publisher.publish(withHeader("n".repeat(255))));

            PublishedId after = get(publisher.publish(task(null, "after")));

            assertThat(after.place()).contains(settings.exchange());
        }
    }

    /** A client that counted an unsent message would take the broker's next answer for that of another message. */
    @Test
    void aFailureWhileSendingGivesTheConnectionUpWithAllThatIsUnconfirmed() throws Exception {
        RabbitConnector connector = new RabbitConnector(settings, RabbitThreads.named("test"));
        PublisherConnection connection = new PublisherConnection(connector.connect("test"));
        connection.declare(settings, connector);
        List<PendingTask> tasks = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            tasks.add(pending("m-" + i, settings.routingKey()));
        }
        tasks.forEach(connection::send);
        PendingTask unsendable = pending("odd", "k".repeat(256));

        connection.send(unsendable);

        assertThat(connection.isOpen()).isFalse();
        assertThatThrownBy(() -> get(unsendable.confirmed()))
                .hasMessageContaining("The task was not published")
                .hasMessageContaining("Short string too long");
        assertThat(tasks).allSatisfy(task -> assertThat(task.confirmed()).isDone());
        assertThat(tasks.stream().filter(task -> task.confirmed().isCompletedExceptionally()))
                .allSatisfy(task -> assertThatThrownBy(() -> get(task.confirmed()))
                        .hasMessageContaining("was not confirmed before the connection to RabbitMQ ended")
                        .hasMessageContaining("it may have arrived"));
    }

    private PendingTask pending(String id, String routingKey) {
        BasicProperties properties = new BasicProperties.Builder().messageId(id).build();
        return new PendingTask(
                settings, new OutgoingMessage(settings.exchange(), routingKey, properties, bytes("x")), id);
    }

    private Task withHeader(String name) {
        return new Task(null, settings.queue(), null, null, bytes("x"), Map.of(name, "v"), 0, 0, 0, 0, null);
    }

    @Test
    void failsUnconfirmedTasksOfALostConnectionAndReconnects() throws Exception {
        try (BrokerProxy wire = new BrokerProxy(settings.uri());
                RabbitPublisher publisher = new RabbitPublisher(
                        List.of(RabbitSettings.of(wire.uri(), settings.queue()).withExchange(settings.exchange())))) {
            get(publisher.publish(task(null, "1")));
            wire.down();
            assertThatThrownBy(() -> get(publisher.publish(task(null, "2"))))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("RabbitMQ");

            wire.up();

            get(publisher.publish(task(null, "3")));
        }
    }

    @Test
    void aClosedPublisherRefusesTasks() {
        RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
        publisher.close();
        publisher.close();

        assertThatThrownBy(() -> get(publisher.publish(task(null, "1"))))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("this publisher is closed");
    }

    @Test
    void refusesQueuesOfDifferentBrokers() {
        assertThatThrownBy(() -> new RabbitPublisher(List.of(settings, RabbitSettings.of("amqp://elsewhere", "b"))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("different brokers");
        assertThatThrownBy(() -> new RabbitPublisher(List.of())).isInstanceOf(IllegalArgumentException.class);
    }

    static PublishedId get(CompletionStage<PublishedId> stage) throws Exception {
        try {
            CompletableFuture<PublishedId> future = stage.toCompletableFuture();
            return future.orTimeout(120, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw (Exception) e.getCause();
        }
    }

    private Task task(String key, String body) {
        return Task.of(settings.queue(), key, bytes(body));
    }
}
