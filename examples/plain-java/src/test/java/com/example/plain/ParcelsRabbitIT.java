package com.example.plain;

import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Connection;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.testkit.Brokers;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class ParcelsRabbitIT extends ParcelsSuite {

    @Override
    String source() {
        return "rabbit";
    }

    @Override
    String broker() {
        return Brokers.rabbit().uri();
    }

    @Override
    String names() {
        return "queue: \"" + name + "\", routing-key: \"" + name + "\"";
    }

    @Override
    void awaitReady() {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (Connection connection = Brokers.rabbit().connect()) {
                // Declared last, so the rest is there.
                return connection
                                .createChannel()
                                .queueDeclarePassive(RabbitSettings.subQueueName(name, 15))
                                .getConsumerCount()
                        == 1;
            }
        });
    }

    /** The exchange chooses for all clients. */
    @Override
    void assertPlaces() {}
}
