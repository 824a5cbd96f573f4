package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import dev.tandem.rabbit.RabbitEventQueue.Bound;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.PublishedEvent;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RabbitEventPublisherIT {

    private static final int EVENTS = 20;

    private final String exchange = UniqueNames.fresh("events");
    private final RabbitSettings settings = RabbitSettings.of(Brokers.rabbit().uri(), "orders");

    @Test
    void aQueueThatIsFullGetsAllEventsOnceThereIsRoomAndOthersGetFewCopies() throws Exception {
        try (Connection connection = Brokers.rabbit().connect();
                RabbitEventPublisher publisher = new RabbitEventPublisher(settings, exchange)) {
            Channel channel = connection.createChannel();
            channel.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true);
            String full = bind(channel, Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
            String other = bind(channel, Map.of());
            List<EventMessage> events =
                    IntStream.range(0, EVENTS).mapToObj(this::event).toList();

            refused(publisher, events);
            for (int attempt = 0; attempt < 5; attempt++) {
                refused(publisher, events);
            }
            assertThat(drain(channel, other).size() - EVENTS).as("copies").isLessThanOrEqualTo(5);

            List<String> arrived = new ArrayList<>(drain(channel, full));
            channel.queueUnbind(full, exchange, "#");
            channel.queueBind(full, exchange, "none");
            publisher.publish(events);
            List<String> rest = drain(channel, other);
            assertThat(arrived).isNotEmpty().doesNotHaveDuplicates().doesNotContainAnyElementsOf(rest);
            arrived.addAll(rest);
            assertThat(arrived).isEqualTo(events.stream().map(this::id).toList());

            publisher.publish(List.of(event(EVENTS)));
            assertThat(drain(channel, other)).containsExactly(id(event(EVENTS)));
        }
    }

    /** Otherwise a thousand of them would be in memory at once. */
    @Test
    void aReaderKeepsNothingOfWhatIsTooLargeForAnEvent() throws Exception {
        String queue = UniqueNames.fresh("archive");
        String routed = settings.queue() + ".succeeded";
        AMQP.BasicProperties wide = new AMQP.BasicProperties.Builder()
                .headers(Map.of("cloudEvents:id", "x".repeat(PublishedEvent.MAX_BYTES)))
                .build();
        try (Connection connection = Brokers.rabbit().connect();
                RabbitEventReader reader = new RabbitEventReader(
                        List.of(new Bound(settings, exchange)), new RabbitEventQueue(queue, 64 << 20), 10);
                RabbitEventPublisher publisher = new RabbitEventPublisher(settings, exchange)) {
            assertThat(reader.read(Duration.ZERO)).isEmpty();
            Channel channel = connection.createChannel();
            channel.basicPublish(exchange, routed, null, new byte[1 << 20]);
            channel.basicPublish(exchange, routed, wide, new byte[] {'{', '}'});
            publisher.publish(List.of(event(1)));

            List<PublishedEvent> read = new ArrayList<>();
            await().atMost(Duration.ofSeconds(60)).until(() -> {
                read.addAll(reader.read(Duration.ofMillis(100)));
                return read.size() == 3;
            });

            assertThat(read).extracting(each -> each.data().length).containsExactly(2, 2, 2);
            assertThat(read).extracting(each -> each.attributes().get("id")).containsExactly(null, null, id(event(1)));
            reader.confirm();
            channel.queueDelete(queue);
        }
    }

    @Test
    void theQueueThatIsToKeepEventsHasTheFirstOneOfEachConnection() throws Exception {
        RabbitEventQueue keeper = new RabbitEventQueue(UniqueNames.fresh("archive"), 64 << 20);
        try (Connection connection = Brokers.rabbit().connect()) {
            Channel channel = connection.createChannel();
            for (int number = 0; number < 2; number++) {
                try (RabbitEventPublisher publisher = new RabbitEventPublisher(settings, exchange, keeper)) {
                    publisher.publish(List.of(event(number)));
                }
                await().atMost(Brokers.PATIENCE).until(() -> channel.messageCount(keeper.name()) == 1);
                channel.queueDelete(keeper.name()); // As if the broker was made anew.
            }
        }
    }

    @Test
    void othersGetTheEventsIfTheBrokerRefusesTheQueueThatIsToKeepThem() throws Exception {
        RabbitEventQueue keeper = new RabbitEventQueue(UniqueNames.fresh("archive"), 64 << 20);
        try (Connection connection = Brokers.rabbit().connect();
                RabbitEventPublisher publisher = new RabbitEventPublisher(settings, exchange, keeper)) {
            Channel channel = connection.createChannel();
            channel.queueDeclare(keeper.name(), false, true, true, Map.of());
            channel.exchangeDeclare(exchange, BuiltinExchangeType.TOPIC, true);
            String other = bind(channel, Map.of());

            publisher.publish(List.of(event(1)));

            assertThat(drain(channel, other)).containsExactly(id(event(1)));
        }
    }

    @Test
    void aReaderThatWaitsHasTheQueueMadeAgainIfItIsGone() throws Exception {
        String queue = UniqueNames.fresh("archive");
        try (Connection connection = Brokers.rabbit().connect();
                RabbitEventReader reader = new RabbitEventReader(
                        List.of(new Bound(settings, exchange)), new RabbitEventQueue(queue, 64 << 20), 10);
                RabbitEventPublisher publisher = new RabbitEventPublisher(settings, exchange)) {
            reader.keepEvents();
            Channel channel = connection.createChannel();
            channel.queueDelete(queue);
            assertThat(reader.waiting()).isZero();

            reader.keepEvents();
            publisher.publish(List.of(event(1)));

            await().atMost(Brokers.PATIENCE).until(() -> reader.waiting() == 1);
            assertThat(reader.read(Brokers.PATIENCE))
                    .extracting(each -> each.attributes().get("id"))
                    .containsExactly(id(event(1)));
            reader.confirm();
            channel.queueDelete(queue);
        }
    }

    private static void refused(RabbitEventPublisher publisher, List<EventMessage> events) {
        assertThatThrownBy(() -> publisher.publish(events))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("reject-publish");
    }

    private String bind(Channel channel, Map<String, Object> arguments) throws IOException {
        String name = channel.queueDeclare("", false, true, true, arguments).getQueue();
        channel.queueBind(name, exchange, "#");
        return name;
    }

    private EventMessage event(int number) {
        return new EventMessage(
                EventKind.SUCCEEDED,
                Map.of("id", "0/0:" + number + "/succeeded/1", "type", "dev.tandem.task.succeeded"),
                "k",
                new byte[] {'{', '}'});
    }

    private String id(EventMessage event) {
        return String.valueOf(event.attributes().get("id"));
    }

    private static List<String> drain(Channel channel, String queue) throws IOException {
        List<String> ids = new ArrayList<>();
        for (GetResponse got = channel.basicGet(queue, true); got != null; got = channel.basicGet(queue, true)) {
            ids.add(got.getProps().getMessageId());
        }
        return ids;
    }
}
