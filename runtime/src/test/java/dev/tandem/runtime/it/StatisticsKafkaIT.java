package dev.tandem.runtime.it;

import dev.tandem.testkit.Brokers;
import java.util.Map;

class StatisticsKafkaIT extends StatisticsSuite {

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
    }

    @Override
    String source() {
        return "kafka";
    }
}
