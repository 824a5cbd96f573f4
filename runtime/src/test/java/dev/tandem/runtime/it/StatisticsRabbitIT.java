package dev.tandem.runtime.it;

import dev.tandem.testkit.Brokers;
import java.util.Map;

class StatisticsRabbitIT extends StatisticsSuite {

    @Override
    Map.Entry<String, String> broker() {
        return Map.entry("tandem.rabbit.uri", Brokers.rabbit().uri());
    }

    @Override
    String source() {
        return "rabbit";
    }
}
