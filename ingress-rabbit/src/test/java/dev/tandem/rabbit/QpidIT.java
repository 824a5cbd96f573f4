package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.local.LocalAmqp;
import dev.tandem.task.Delivery;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedRabbit;
import dev.tandem.testkit.UniqueNames;
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
    void tasksComeInAreAckedAndComeAgainUntilThey() throws Exception {
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings))) {
            for (int i = 0; i < 10; i++) {
                RabbitPublisherIT.get(publisher.publish(task("" + i)));
            }
        }
        try (Loop loop = new Loop(settings).openAll()) {
            loop.untilDelivered(10);
            assertThat(loop.source.status().detail()).containsIgnoringCase("qpid");
            assertThat(loop.all()).noneMatch(Delivery::redelivered);
            loop.delivered.replaceAll((partition, all) ->
                    all.stream().filter(d -> !Loop.body(d).equals("3")).toList());
            loop.ackAll();
            loop.turns();
        }
        try (Loop loop = new Loop(settings).openAll()) {
            loop.untilDelivered(1);
            loop.turns();

            assertThat(loop.bodies()).containsExactly("3");
            assertThat(loop.all()).allMatch(Delivery::redelivered);
        }
    }

    @Test
    void prefetchIsTheCredit() throws Exception {
        RabbitSettings narrow = settings.withPartitions(1).withPrefetch(4);
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(narrow));
                Loop loop = new Loop(narrow).openAll()) {
            for (int i = 0; i < 10; i++) {
                RabbitPublisherIT.get(publisher.publish(task("" + i)));
            }
            loop.untilDelivered(4);
            loop.settle(loop.partition(0));
            assertThat(loop.all()).hasSize(4);
            loop.ackAll();
            loop.untilDelivered(8);
        }
    }

    @Test
    void aRewindBringsWhatWasNotAcked() throws Exception {
        RabbitSettings one = settings.withPartitions(1);
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(one));
                Loop loop = new Loop(one).openAll()) {
            RabbitPublisherIT.get(publisher.publish(task("1")));
            loop.untilDelivered(1);
            loop.source.rewind(loop.partition(0));
            loop.untilDelivered(2);

            assertThat(loop.all().get(1).redelivered()).isTrue();
            assertThat(loop.all().get(1).identity()).isEqualTo(loop.all().get(0).identity());
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
    void anExistingQueueIsUsedAsItIs() throws Exception {
        try (Connection connection = SharedRabbit.connect(qpid.address());
                Channel channel = connection.createChannel()) {
            channel.queueDeclare(settings.brokerQueue(), true, false, false, Map.of("x-single-active-consumer", true));
        }
        try (RabbitPublisher publisher = new RabbitPublisher(List.of(settings));
                Loop loop = new Loop(settings).openAll()) {
            RabbitPublisherIT.get(publisher.publish(task("1")));

            loop.untilDelivered(1);
        }
    }

    @Test
    void orderNeedsRabbitMqAndTheStatusSaysSo() {
        try (Loop loop = new Loop(settings.orderedByHeader())) {
            loop.until("refused", () -> loop.source.status().detail().contains("needs RabbitMQ"));

            assertThat(loop.source.status().detail()).contains("'ordering: key' of the queue", "ordering: none");
        }
    }

    private Task task(String body) {
        return Task.of(settings.queue(), null, body.getBytes(StandardCharsets.UTF_8));
    }
}
