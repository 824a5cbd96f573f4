package dev.tandem.opentelemetry.it;

import dev.tandem.testkit.Brokers;

class TracingRabbitIT extends TracingSuite {

    @Override
    String broker() {
        return "tandem.rabbit.uri: \"" + Brokers.rabbit().uri() + "\"";
    }

    @Override
    String source() {
        return "rabbit";
    }
}
