package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.util.Date;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnroutedMoverTest {

    private final BasicProperties all = new BasicProperties.Builder()
            .appId("app")
            .clusterId("cluster")
            .contentEncoding("gzip")
            .contentType("text/plain")
            .correlationId("c")
            .deliveryMode(2)
            .expiration("60000")
            .headers(Map.of("tandem-key", "k"))
            .messageId("m")
            .priority(3)
            .replyTo("r")
            .timestamp(new Date(1_790_000_000_000L))
            .type("t")
            .build();

    @Test
    void keepsThePropertiesOfAMovedMessage() {
        assertThat(UnroutedMover.withoutUserId(all)).isEqualTo(all);
    }

    /** RabbitMQ closes a channel on which a message names another user. */
    @Test
    void removesTheUserIdOfAMovedMessage() {
        assertThat(UnroutedMover.withoutUserId(all.builder().userId("anna").build()))
                .isEqualTo(all);
    }
}
