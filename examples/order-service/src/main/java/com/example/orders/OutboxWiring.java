package com.example.orders;

import dev.tandem.api.TaskClient;
import dev.tandem.client.TandemClient;
import dev.tandem.outbox.Outbox;
import dev.tandem.outbox.OutboxRelay;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import tools.jackson.databind.json.JsonMapper;

/** Has the gateways write to the outbox, and publishes what is there. */
// By hand, because the starter does not know of the outbox.
@Configuration(proxyBeanMethods = false)
class OutboxWiring {

    /** What the gateways use. */
    @Bean
    @Primary
    TaskClient outboxClient(DataSource database, JsonMapper json) {
        return Outbox.create().withMapper(json).client(new OutboxTransaction(database));
    }

    /** What the relay uses. */
    @Bean
    TaskClient brokerClient(
            @Value("${tandem.kafka.bootstrap-servers}") String kafka, @Value("${tandem.rabbit.uri}") String rabbit) {
        return TandemClient.builder()
                .kafka(kafka, OrderTasks.QUEUE)
                .rabbit(rabbit, MailTasks.QUEUE)
                .build();
    }

    @Bean
    @DependsOnDatabaseInitialization
    OutboxRelay outboxRelay(DataSource database, @Qualifier("brokerClient") TaskClient brokers) {
        return OutboxRelay.start(database, brokers);
    }
}
