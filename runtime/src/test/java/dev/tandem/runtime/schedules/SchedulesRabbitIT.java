package dev.tandem.runtime.schedules;

import dev.tandem.testkit.Brokers;
import java.util.Map;

class SchedulesRabbitIT extends SchedulesSuite {

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.rabbit.uri", Brokers.rabbit().uri());
    }
}
