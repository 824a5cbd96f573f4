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

/** Containers behave as local processes do. Runs only where a Docker engine answers. */
class DockerIT {

    @BeforeEach
    void onlyWithDocker() {
        // With CI=true too: other tests run the same brokers without Docker.
        assumeTrue(
                DockerEngine.answers(), "No Docker engine answers here. Other tests run the same brokers without it");
    }

    @Test
    void killedRedisRestartsOnItsPortWithItsData() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.DOCKER).start()) {
            assertThat(redis.origin()).isEqualTo("Docker, " + BrokerImages.REDIS);
            assertThat(redis.product()).startsWith("Redis ");
            RedisNode.ask(redis.port(), commands -> commands.set("who", "tandem"));

            redis.kill();
            assertThat(redis.isRunning()).isFalse();
            redis.start();

            assertThat(RedisNode.<String>ask(redis.port(), commands -> commands.get("who")))
                    .isEqualTo("tandem");
            assertThat(RedisNode.<Map<String, String>>ask(
                            redis.port(), commands -> commands.configGet("maxmemory-policy")))
                    .containsEntry("maxmemory-policy", "noeviction");
            assertThatThrownBy(redis::checkpoint).hasMessageContaining("container");
        }
    }

    @Test
    void frozenRedisCanBeResumed() {
        try (LocalRedis redis = LocalRedis.builder().mode(LocalMode.DOCKER).start()) {
            redis.suspend();
            redis.resume();
            assertThat(RedisNode.answers(redis.port())).isTrue();
        }
    }

    @Test
    void killedKafkaRestartsOnItsPortWithItsTopics() throws Exception {
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
    void stoppedRabbitRestartsOnItsPortWithItsQueues() throws Exception {
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
