package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.AMQP.BasicProperties;
import java.util.Date;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DrainTest {

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
    void aMovedMessageKeepsItsProperties() {
        assertThat(Drain.asTheyWere(all)).isEqualTo(all);
    }

    /** RabbitMQ closes the channel of whoever publishes in another's name. */
    @Test
    void butNotTheNameOfItsUser() {
        assertThat(Drain.asTheyWere(all.builder().userId("anna").build())).isEqualTo(all);
    }
}
