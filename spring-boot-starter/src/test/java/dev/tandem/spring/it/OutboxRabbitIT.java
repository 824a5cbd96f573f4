package dev.tandem.spring.it;

import dev.tandem.testkit.Brokers;

class OutboxRabbitIT extends OutboxSuite {

    @Override
    String broker() {
        return "tandem.rabbit.uri=" + Brokers.rabbit().uri();
    }

    @Override
    String source() {
        return "rabbit";
    }
}
