package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import dev.tandem.task.Task;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests what the publisher tells the broker of a task. */
class MessageEncoderTest {

    private static final RabbitSettings UNORDERED = RabbitSettings.of("amqp://localhost", "mail");

    private static BasicProperties properties(RabbitSettings settings) {
        Task task = new Task(null, "mail", "send", null, new byte[0], Map.of("tandem-priority", "7"), 0, 0, 0, 0, null);
        return new MessageEncoder(settings, InstantSource.system())
                .encode(task, "m-1")
                .properties();
    }

    @Test
    void onlyInAQueueWithoutAnOrderTheBrokerHearsOfThePriority() {
        assertThat(properties(UNORDERED).getPriority()).isEqualTo(7);
        assertThat(properties(UNORDERED).getHeaders()).containsEntry("tandem-priority", "7");
        assertThat(properties(UNORDERED.orderedByHeader()).getPriority()).isNull();
        assertThat(properties(UNORDERED.orderedByHeader()).getHeaders()).containsEntry("tandem-priority", "7");
    }
}
