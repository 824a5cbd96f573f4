package dev.tandem.spring.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import dev.tandem.spring.beside.Desk;
import dev.tandem.spring.beside.DeskTasks;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulConnection;
import java.net.URI;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.kafka.core.ProducerFactory;

/** An application with its own clients of Kafka, RabbitMQ and Redis beside Tandem's. */
abstract class OwnClientsSuite {

    private static final int JAVA_WITH_VIRTUAL_THREADS = 21;

    private final String queue = UniqueNames.fresh("desk");

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    private ConfigurableApplicationContext start(boolean virtualThreads) {
        String settings = "tandem.queues." + queue + ".";
        URI redis = URI.create(Brokers.redis().uri());
        String rabbit = Brokers.rabbit().uri();
        return new SpringApplicationBuilder(Desk.class)
                .properties(
                        "spring.kafka.bootstrap-servers=" + Brokers.kafka().bootstrapServers(),
                        "spring.rabbitmq.addresses=" + rabbit,
                        "spring.data.redis.url=" + redis,
                        "spring.threads.virtual.enabled=" + virtualThreads,
                        "desk.redis=" + redis,
                        "desk.queue=" + queue,
                        "desk.topic=" + queue + ".notes",
                        "tandem.kafka.bootstrap-servers=" + Brokers.kafka().bootstrapServers(),
                        "tandem.rabbit.uri=" + rabbit,
                        "tandem.redis.uri=" + redis,
                        settings + "source=" + source(),
                        settings + "ordering=key",
                        settings + "partitions=2")
                .run();
    }

    private static String ranOn(ConfigurableApplicationContext context, String note) {
        StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
        await().atMost(PATIENCE).until(() -> "done".equals(redis.opsForValue().get(note)));
        return String.valueOf(redis.opsForValue().get(note + ".thread"));
    }

    @Test
    void bothWorkAndNeitherGetsTheOthersBeans() {
        try (ConfigurableApplicationContext context = start(false)) {
            String note = UniqueNames.fresh("note");
            context.getBean(DeskTasks.class).note("k", note);

            assertThat(ranOn(context, note)).doesNotContain("VirtualThread");
            assertThat(context.getBean(RabbitTemplate.class).receiveAndConvert(note, PATIENCE.toMillis()))
                    .isEqualTo(note);
            assertThat(context.getBeanNamesForType(RedisClient.class)).containsExactly("ownRedisClient");
            assertThat(context.getBeanNamesForType(RedisConnectionFactory.class))
                    .hasSize(1);
            assertThat(context.getBeanNamesForType(KafkaTemplate.class)).containsExactly("kafkaTemplate");
            assertThat(context.getBeanNamesForType(ProducerFactory.class)).hasSize(1);
            assertThat(context.getBeanNamesForType(RabbitTemplate.class)).hasSize(1);
            assertThat(context.getBeanNamesForType(Executor.class)).containsExactly("applicationTaskExecutor");
            for (Class<?> client : new Class<?>[] {
                Producer.class, Consumer.class, Connection.class, ConnectionFactory.class, StatefulConnection.class
            }) {
                assertThat(context.getBeanNamesForType(client))
                        .as(client.getName())
                        .isEmpty();
            }
        }
    }

    @Test
    void handlersRunOnVirtualThreadsWhereTheApplicationWantsThemAndJavaHasThem() {
        boolean has = Runtime.version().feature() >= JAVA_WITH_VIRTUAL_THREADS;
        try (ConfigurableApplicationContext context = start(true)) {
            String note = UniqueNames.fresh("note");
            context.getBean(DeskTasks.class).note("k", note);

            assertThat(ranOn(context, note).contains("VirtualThread")).isEqualTo(has);
        }
    }
}
