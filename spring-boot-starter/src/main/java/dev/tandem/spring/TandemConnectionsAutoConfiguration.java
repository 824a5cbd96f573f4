package dev.tandem.spring;

import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Connects to the services that Spring Boot knows by their connection details, such as containers with
 * {@code @ServiceConnection}. Runs before Spring Boot makes such details of {@code spring.kafka} and its like: Tandem has
 * settings of its own, and may use other brokers than the rest of an application.
 */
@AutoConfiguration(
        before = TandemAutoConfiguration.class,
        beforeName = {
            "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration"
        },
        afterName = "org.springframework.boot.testcontainers.service.connection.ServiceConnectionAutoConfiguration")
@ConditionalOnBooleanProperty(name = "tandem.enabled", matchIfMissing = true)
@ConditionalOnBooleanProperty(name = "tandem.service-connections", matchIfMissing = true)
public final class TandemConnectionsAutoConfiguration {

    TandemConnectionsAutoConfiguration() {}

    /** The connection to Kafka. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(KafkaConnectionDetails.class)
    @ConditionalOnBean(KafkaConnectionDetails.class)
    static class Kafka {

        @Bean
        ConnectionSettings tandemKafkaConnection(KafkaConnectionDetails details) {
            return () -> ServiceConnections.kafka(details);
        }
    }

    /** The connection to RabbitMQ. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RabbitConnectionDetails.class)
    @ConditionalOnBean(RabbitConnectionDetails.class)
    static class Rabbit {

        @Bean
        ConnectionSettings tandemRabbitConnection(RabbitConnectionDetails details) {
            return () -> ServiceConnections.rabbit(details);
        }
    }

    /** The connection to Redis. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DataRedisConnectionDetails.class)
    @ConditionalOnBean(DataRedisConnectionDetails.class)
    static class Redis {

        @Bean
        ConnectionSettings tandemRedisConnection(DataRedisConnectionDetails details) {
            return () -> ServiceConnections.redis(details);
        }
    }
}
