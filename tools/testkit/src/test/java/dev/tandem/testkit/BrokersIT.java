package dev.tandem.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.local.LocalRedis;
import dev.tandem.local.MissingBrokerException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.opentest4j.TestAbortedException;

class BrokersIT {

    @Test
    void testsShareOneKafkaAndGetUniqueTopics() throws Exception {
        SharedKafka kafka = Brokers.kafka();

        String first = kafka.topic("orders", 3);
        String second = kafka.topic("orders", 1);

        assertThat(Brokers.kafka()).isSameAs(kafka);
        assertThat(kafka.admin().listTopics().names().get()).contains(first, second);
    }

    @Test
    void testsShareOneRedis() {
        SharedRedis redis = Brokers.redis();

        redis.commands().set(UniqueNames.fresh("key"), "value");

        assertThat(Brokers.redis()).isSameAs(redis);
    }

    @Test
    void testsShareOneRabbit() throws Exception {
        SharedRabbit rabbit = Brokers.rabbit();

        try (Connection connection = rabbit.connect();
                Channel channel = connection.createChannel()) {
            String queue = UniqueNames.fresh("mail");
            channel.queueDeclare(queue, true, false, false, Map.of("x-queue-type", "quorum"));
            assertThat(channel.messageCount(queue)).isZero();
        }
        assertThat(Brokers.rabbit()).isSameAs(rabbit);
    }

    @Test
    void killingATestsOwnRedisDoesNotAffectOthers() {
        try (LocalRedis own = Brokers.ownRedis()) {
            own.kill();
            assertThat(Brokers.redis().commands().ping()).isEqualTo("PONG");
        }
    }

    @Test
    void skipsATestWithoutItsBrokerButFailsItInContinuousIntegration() {
        Class<? extends Throwable> expected =
                Boolean.parseBoolean(System.getenv("CI")) ? AssertionError.class : TestAbortedException.class;

        assertThatThrownBy(() -> Brokers.orSkip(() -> {
                    throw new MissingBrokerException("there is no such broker");
                }))
                .isInstanceOf(expected)
                .hasMessageContaining("there is no such broker");
    }
}
