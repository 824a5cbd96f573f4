package dev.tandem.client;

class RabbitTaskClientIT extends TaskClientSuite {

    @Override
    TestBroker open() {
        return new RabbitTestBroker();
    }
}
