package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import dev.tandem.local.LocalAmqp;
import dev.tandem.rabbit.RabbitEventQueue.Bound;
import dev.tandem.task.Delivery;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The broker of machines without RabbitMQ. */
class QpidIT {

    private static LocalAmqp qpid;

    private RabbitSettings settings;

    @BeforeAll
    static void start() {
        qpid = Brokers.ownQpid();
    }

    @AfterAll
    static void stop() {
        if (qpid != null) {
            qpid.close();
        }
    }

    @BeforeEach
    void names() {
        settings = RabbitSettings.of(qpid.address(), UniqueNames.fresh("mail")).withPartitions(2);
    }

    @Test
    void redeliversTasksUntilTheyAreAcked() throws Exception {
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
            for (int i = 0; i < 10; i++) {
                RabbitPublisherIT.get(publisher.publish(task("" + i)));
            }
        }
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            driver.untilDelivered(10);
            assertThat(driver.source.status().detail()).containsIgnoringCase("qpid");
            assertThat(driver.all()).noneMatch(Delivery::redelivered);
            driver.delivered.replaceAll((partition, all) -> all.stream()
                    .filter(d -> !RabbitSourceDriver.body(d).equals("3"))
                    .toList());
            driver.ackAll();
            driver.turns();
        }
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            driver.untilDelivered(1);
            driver.turns();

            assertThat(driver.bodies()).containsExactly("3");
            assertThat(driver.all()).allMatch(Delivery::redelivered);
        }
    }

    @Test
    void prefetchLimitsUnackedDeliveries() throws Exception {
        RabbitSettings narrow = settings.withPartitions(1).withPrefetch(4);
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(narrow));
                RabbitSourceDriver driver = new RabbitSourceDriver(narrow).openAll()) {
            for (int i = 0; i < 10; i++) {
                RabbitPublisherIT.get(publisher.publish(task("" + i)));
            }
            driver.untilDelivered(4);
            driver.roundTrip(driver.partition(0));
            assertThat(driver.all()).hasSize(4);
            driver.ackAll();
            driver.untilDelivered(8);
        }
    }

    @Test
    void aRewindRedeliversWhatWasNotAcked() throws Exception {
        RabbitSettings one = settings.withPartitions(1);
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(one));
                RabbitSourceDriver driver = new RabbitSourceDriver(one).openAll()) {
            RabbitPublisherIT.get(publisher.publish(task("1")));
            driver.untilDelivered(1);
            driver.source.rewind(driver.partition(0));
            driver.untilDelivered(2);

            assertThat(driver.all().get(1).redelivered()).isTrue();
            assertThat(driver.all().get(1).identity())
                    .isEqualTo(driver.all().get(0).identity());
        }
    }

    @Test
    void anUnroutableTaskFailsNamingExchangeAndRoutingKey() throws Exception {
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
                Connection connection = SharedRabbit.connect(qpid.address());
                Channel channel = connection.createChannel()) {
            RabbitPublisherIT.get(publisher.publish(task("1")));
            channel.queueDelete(settings.brokerQueue());

            assertThatThrownBy(() -> RabbitPublisherIT.get(publisher.publish(task("2"))))
                    .isInstanceOf(PublishException.class)
                    .hasMessageContaining("no queue is bound to exchange 'tandem' with the routing key '"
                            + settings.routingKey() + "'");
        }
    }

    @Test
    void usesAnExistingQueueAsItIs() throws Exception {
        try (Connection connection = SharedRabbit.connect(qpid.address());
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(settings.brokerQueue(), true, false, false, Map.of("x-single-active-consumer", true));
        }
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
                RabbitSourceDriver driver = new RabbitSourceDriver(settings).openAll()) {
            RabbitPublisherIT.get(publisher.publish(task("1")));

            driver.untilDelivered(1);
        }
    }

    @Test
    void reportsThatOrderNeedsRabbitMq() {
        try (RabbitSourceDriver driver = new RabbitSourceDriver(settings.orderedByHeader())) {
            driver.until("refused", () -> driver.source.status().detail().contains("needs RabbitMQ"));

            assertThat(driver.source.status().detail()).contains("'ordering: key' of the queue", "ordering: none");
        }
    }

    @Test
    void aQueueOfEventsDropsTheOldestBeyondItsBound() throws Exception {
        int bound = 10_000;
        RabbitEventQueue queue = new RabbitEventQueue(UniqueNames.fresh("archive"), bound);
        String exchange = UniqueNames.fresh("events");
        try (Connection connection = SharedRabbit.connect(qpid.address());
                Channel channel = connection.createChannel()) {
            IOException other = queue.declare(connection, List.of(new Bound(settings, exchange)));
            assertThat(other).isNull();
            channel.confirmSelect();
            for (int number = 0; number < 30; number++) {
                byte[] event = new byte[1_000];
                event[0] = (byte) number;
                channel.basicPublish(exchange, settings.queue() + ".succeeded", null, event);
            }
            channel.waitForConfirmsOrDie();

            assertThat(channel.messageCount(queue.name())).isBetween(1L, 10L);
            GetResponse first = channel.basicGet(queue.name(), true);
            assertThat((int) first.getBody()[0]).isGreaterThanOrEqualTo(20);
        }
    }

    private Task task(String body) {
        return Task.of(settings.queue(), null, body.getBytes(StandardCharsets.UTF_8));
    }
}
