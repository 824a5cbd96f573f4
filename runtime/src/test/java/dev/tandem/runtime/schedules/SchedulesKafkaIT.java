package dev.tandem.runtime.schedules;

import dev.tandem.testkit.Brokers;
import java.util.Map;

class SchedulesKafkaIT extends SchedulesSuite {

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.kafka.bootstrap-servers", Brokers.kafka().bootstrapServers());
    }
}
