package dev.tandem.spring.beside;

import io.lettuce.core.RedisClient;
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** An application that has clients of its own for every broker that Tandem uses. */
@SpringBootConfiguration
@EnableAutoConfiguration
@Import(Notes.class)
public class Desk {

    @Bean
    NewTopic ownTopic(@Value("${desk.topic}") String name) {
        return new NewTopic(name, 1, (short) 1);
    }

    @Bean(destroyMethod = "shutdown")
    RedisClient ownRedisClient(@Value("${desk.redis}") String uri) {
        return RedisClient.create(uri);
    }
}
