package dev.tandem.local;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One Kafka node, broker and controller in one, on 127.0.0.1. Topics are not created by themselves. */
public final class LocalKafka extends AbstractBroker {

    private final String product;

    private LocalKafka(Place place, KafkaServer server) {
        super(place, server);
        product = "Kafka " + server.version();
        begin();
    }

    /** A Kafka with small defaults; see {@link Builder} for what can be changed. */
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
        return "127.0.0.1:" + port();
    }

    /** Settings of a {@link LocalKafka}. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private final List<KafkaServer.Way> ways = new ArrayList<>();
        private LocalMode mode = LocalMode.configured();
        private boolean fullSpeed;
        private int port;
        private @Nullable Path data;

        private Builder() {}

        /** The port; without one a free one is taken. */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /** A folder that keeps the data; null, as by itself, makes it temporary. */
        public Builder data(@Nullable Path folder) {
            this.data = folder;
            return this;
        }

        /** A broker setting, over the defaults. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /**
         * A further way in, for a proxy: a client goes where the broker says that it is, so who listens at one port and says
         * another needs a listener of its own. No container has one, so none is used.
         *
         * @param listener the port where Kafka listens
         * @param advertised the port that clients which come this way are told
         */
        public Builder way(int listener, int advertised) {
            ways.add(new KafkaServer.Way(listener, advertised));
            return this;
        }

        /** Which kinds may be used; without this what {@link LocalMode#configured()} says. */
        public Builder mode(LocalMode allowed) {
            this.mode = allowed;
            return this;
        }

        /** For a benchmark, or long use: runs faster once it is warm, and starts slower. Only for embedded brokers. */
        public Builder fullSpeed() {
            this.fullSpeed = true;
            return this;
        }

        /**
         * Starts Kafka and waits until it takes clients.
         *
         * @throws UnavailableException when the mode allows none that is here
         * @throws LocalException when it does not start
         */
        public LocalKafka start() {
            LocalMode allowedHere = ways.isEmpty() ? mode : mode.withoutDocker();
            return Discovery.choose(allowedHere, data, this::inContainer, allowed -> asProcess());
        }

        private LocalKafka asProcess() {
            Place place = Place.of("kafka", port, data);
            return new LocalKafka(place, KafkaServer.process(place, fullSpeed, ways, settings));
        }

        private LocalKafka inContainer() {
            Place place = Place.of("kafka", port, null);
            return new LocalKafka(place, KafkaServer.container(place, settings));
        }
    }
}
