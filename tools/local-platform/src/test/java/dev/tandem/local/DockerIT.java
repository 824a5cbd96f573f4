package dev.tandem.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Where a Docker engine answers, its containers behave as the local processes do. */
class DockerIT {

    @BeforeEach
    void onlyWithDocker() {
        // Also with CI=true: Docker is no broker. What runs on real brokers elsewhere runs there without it.
        assumeTrue(
                DockerEngine.answers(),
                "No Docker engine answers here. It is one way to have a broker, not a broker: no other test misses it");
    }

    @Test
    void aKilledRedisComesBackOnItsPortWithItsData() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.DOCKER).start()) {
            assertThat(redis.origin()).isEqualTo("Docker, redis:7-alpine");
            assertThat(redis.product()).startsWith("Redis ");
            Resp.ask(redis.port(), "SET", "who", "tandem");

            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            redis.start();

            assertThat(Resp.ask(redis.port(), "GET", "who")).isEqualTo("tandem");
            assertThat(Resp.ask(redis.port(), "CONFIG", "GET", "maxmemory-policy"))
                    .contains("noeviction");
            assertThatThrownBy(redis::checkpoint).hasMessageContaining("container");
        }
    }

    @Test
    void aFrozenRedisGoesOn() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.DOCKER).start()) {
            redis.suspend();
            redis.resume();
            assertThat(Resp.answers(redis.port())).isTrue();
        }
    }

    @Test
    void aKilledKafkaComesBackOnItsPortWithItsTopics() throws Exception {
        try (LocalKafka kafka = LocalKafka.builder().mode(LocalMode.DOCKER).start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            admin.createTopics(List.of(new NewTopic("orders", 2, (short) 1)))
                    .all()
                    .get();

            kafka.kill();
            kafka.start();

            assertThat(admin.listTopics().names().get()).contains("orders");
        }
    }

    @Test
    void aStoppedRabbitComesBackOnItsPortWithItsQueues() throws Exception {
        try (LocalAmqp rabbit = LocalAmqp.builder()
                .mode(LocalMode.DOCKER)
                .setting("consumer_timeout", "60000")
                .start()) {
            assertThat(rabbit.isRabbit()).isTrue();
            try (Connection connection = connect(rabbit);
                    Channel channel = connection.createChannel()) {
                channel.exchangeDeclare("spread", "x-consistent-hash", true);
                channel.queueDeclare("orders", true, false, false, Map.of("x-queue-type", "quorum"));
            }

            rabbit.restart();

            try (Connection connection = connect(rabbit);
                    Channel channel = connection.createChannel()) {
                assertThat(channel.messageCount("orders")).isZero();
            }
        }
    }

    private static Connection connect(LocalAmqp rabbit) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(rabbit.address());
        return factory.newConnection();
    }
}
