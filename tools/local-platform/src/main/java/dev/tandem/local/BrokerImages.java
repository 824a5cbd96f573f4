package dev.tandem.local;

/** The Docker images of the brokers: those of docker-compose.yml, by their exact versions. */
final class BrokerImages {

    static final String RABBIT = "rabbitmq:4.3.5-management";
    static final String REDIS = "redis:7.4.11-alpine";

    private BrokerImages() {}

    static String kafka(String version) {
        return "apache/kafka:" + version;
    }
}
