package dev.tandem.local;

import java.util.ArrayList;
import java.util.List;

/** A Kafka node, broker and controller in one, on 127.0.0.1. Topics are not created automatically. */
public final class LocalKafka extends AbstractBroker {

    private final String product;

    private LocalKafka(BrokerLocation location, KafkaServer server) {
        super(location, server);
        product = "Kafka " + server.version();
        begin();
    }

    /** Builds a Kafka with small defaults. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public String product() {
        return product;
    }

    /** {@code 127.0.0.1:<port>}, a bootstrap server. */
    @Override
    public String address() {
        return address(port());
    }

    static String address(int port) {
        return "127.0.0.1:" + port;
    }

    /** Settings of a {@link LocalKafka}. Not thread-safe. */
    public static final class Builder extends BrokerBuilder<Builder> {

        private final List<KafkaServer.ProxiedListener> proxied = new ArrayList<>();

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Adds a listener for clients that connect through a proxy. A client continues at the address that the broker
         * tells it, so each proxy needs a listener that tells the proxy's port. A container cannot have one, so none
         * is used.
         *
         * @param listener the port where Kafka listens
         * @param advertised the port of the proxy
         */
        public Builder proxiedListener(int listener, int advertised) {
            proxied.add(new KafkaServer.ProxiedListener(listener, advertised));
            return this;
        }

        /**
         * Starts Kafka and waits until it accepts clients.
         *
         * @throws MissingBrokerException when there is none that the mode allows
         * @throws LocalException when it does not start
         */
        public LocalKafka start() {
            LocalMode allowedMode = proxied.isEmpty() ? mode() : mode().withoutDocker();
            return RuntimeSelection.choose(allowedMode, data(), this::inContainer, allowed -> asProcess());
        }

        private LocalKafka asProcess() {
            BrokerLocation location = location("kafka");
            return new LocalKafka(location, KafkaServer.process(location, isFullSpeed(), proxied, settings()));
        }

        private LocalKafka inContainer() {
            BrokerLocation location = containerLocation("kafka");
            return new LocalKafka(location, KafkaServer.container(location, settings()));
        }
    }
}
