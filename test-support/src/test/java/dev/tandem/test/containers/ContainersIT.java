package dev.tandem.test.containers;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.junit.jupiter.Container;
import org.testcontainers.junit.jupiter.Testcontainers;
import org.testcontainers.kafka.KafkaContainer;
import org.testcontainers.rabbitmq.RabbitMQContainer;

/**
 * An application runs tasks over the containers that its test has declared, and no other address leads to them. Fetches
 * images, which takes too long for every build: {@code -Dit.containers=true}. Skipped where no container engine answers.
 */
@EnabledIfSystemProperty(
        named = "it.containers",
        matches = "true",
        disabledReason = "Run on demand, with -Dit.containers=true and a container engine")
@Testcontainers(disabledWithoutDocker = true)
@SpringBootTest(
        classes = Depot.class,
        properties = {
            "tandem.kafka.bootstrap-servers=127.0.0.1:1",
            "tandem.rabbit.uri=amqp://127.0.0.1:1",
            "tandem.redis.uri=redis://127.0.0.1:1",
            "tandem.redis.durability=none",
            "tandem.queues.ships.source=kafka",
            "tandem.queues.trucks.source=rabbit",
            "tandem.queues.trucks.ordering=key"
        })
class ContainersIT {

    @Container
    @ServiceConnection
    static final KafkaContainer KAFKA = new KafkaContainer("apache/kafka:4.3.1");

    @Container
    @ServiceConnection
    static final RabbitMQContainer RABBIT = new RabbitMQContainer("rabbitmq:4-management")
            .withCopyToContainer(
                    Transferable.of("[rabbitmq_management,rabbitmq_consistent_hash_exchange]."),
                    "/etc/rabbitmq/enabled_plugins");

    @Container
    @ServiceConnection
    static final GenericContainer<?> REDIS = new GenericContainer<>("redis:8").withExposedPorts(6379);

    @Autowired
    private Depot depot;

    @Autowired
    private Depot.FromKafka kafka;

    @Autowired
    private Depot.FromRabbit rabbit;

    @Test
    void tasksOfBothBrokersRun() throws InterruptedException {
        kafka.unload("c-7", "by Kafka").await(PATIENCE);
        rabbit.unload("c-7", "by RabbitMQ").await(PATIENCE);

        await().atMost(PATIENCE).until(() -> depot.unloaded().size() == 2);
    }
}
