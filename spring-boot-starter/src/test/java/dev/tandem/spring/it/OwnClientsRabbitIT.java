package dev.tandem.spring.it;

class OwnClientsRabbitIT extends OwnClientsSuite {

    @Override
    String source() {
        return "rabbit";
    }
}
