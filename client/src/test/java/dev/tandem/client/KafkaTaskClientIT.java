package dev.tandem.client;

class KafkaTaskClientIT extends TaskClientSuite {

    @Override
    TestBroker open() {
        return new KafkaTestBroker();
    }
}
