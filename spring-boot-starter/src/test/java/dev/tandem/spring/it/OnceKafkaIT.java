package dev.tandem.spring.it;

import dev.tandem.testkit.Brokers;
import java.util.Map;

class OnceKafkaIT extends OnceSuite {

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
    }

    @Override
    String source() {
        return "kafka";
    }
}
