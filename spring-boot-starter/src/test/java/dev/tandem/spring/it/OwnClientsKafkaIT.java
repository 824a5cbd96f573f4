package dev.tandem.spring.it;

class OwnClientsKafkaIT extends OwnClientsSuite {

    @Override
    String source() {
        return "kafka";
    }
}
