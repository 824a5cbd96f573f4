package dev.tandem.opentelemetry.it;

import dev.tandem.testkit.Brokers;

class TracingKafkaIT extends TracingSuite {

    @Override
    String broker() {
        return "tandem.kafka.bootstrap-servers: \"" + Brokers.kafka().bootstrapServers() + "\"";
    }

    @Override
    String source() {
        return "kafka";
    }
}
