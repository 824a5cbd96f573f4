package dev.tandem.spring.it;

import dev.tandem.testkit.Brokers;

class RestartKafkaIT extends RestartSuite {

    @Override
    String broker() {
        return "tandem.kafka.bootstrap-servers=" + Brokers.kafka().bootstrapServers();
    }

    @Override
    String source() {
        return "kafka";
    }
}
