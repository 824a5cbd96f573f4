package dev.tandem.spring.it;

import dev.tandem.testkit.Brokers;

class OutboxKafkaIT extends OutboxSuite {

    @Override
    String broker() {
        return "tandem.kafka.bootstrap-servers=" + Brokers.kafka().bootstrapServers();
    }

    @Override
    String source() {
        return "kafka";
    }
}
