package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.GetResponse;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.EventMessage;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
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
