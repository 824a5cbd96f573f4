package dev.tandem.spring.it;

import dev.tandem.testkit.Brokers;

class RestartRabbitIT extends RestartSuite {

    @Override
    String broker() {
        return "tandem.rabbit.uri=" + Brokers.rabbit().uri();
    }

    @Override
    String source() {
        return "rabbit";
    }
}
