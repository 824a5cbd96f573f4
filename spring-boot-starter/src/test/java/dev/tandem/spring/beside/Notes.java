package dev.tandem.spring.beside;

import dev.tandem.api.TaskHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.concurrent.TimeUnit;
import org.springframework.amqp.core.Queue;
import org.springframework.amqp.rabbit.core.RabbitAdmin;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.kafka.core.KafkaTemplate;

/** Writes each note with all of the application's own clients, under the note's text. */
public class Notes {

    private final String topic;
    private final KafkaTemplate<String, String> kafka;
    private final RabbitTemplate rabbit;
    private final StringRedisTemplate redis;
    private final RedisClient lettuce;

    Notes(
            @Value("${desk.topic}") String topic,
            KafkaTemplate<String, String> kafka,
            RabbitTemplate rabbit,
            StringRedisTemplate redis,
            RedisClient lettuce) {
        this.topic = topic;
        this.kafka = kafka;
        this.rabbit = rabbit;
        this.redis = redis;
        this.lettuce = lettuce;
    }

    @TaskHandler(queue = "${desk.queue}", type = "note")
    void note(String text) throws Exception {
        kafka.send(topic, text).get(60, TimeUnit.SECONDS);
        new RabbitAdmin(rabbit).declareQueue(new Queue(text, false, false, true));
        rabbit.convertAndSend("", text, text);
        try (StatefulRedisConnection<String, String> connection = lettuce.connect()) {
            connection.sync().set(text + ".thread", Thread.currentThread().toString());
        }
        redis.opsForValue().set(text, "done");
    }
}
