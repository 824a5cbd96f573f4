package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One AMQP 0-9-1 broker on 127.0.0.1, user and password "guest": RabbitMQ with the consistent-hash exchange where there
 * is one, else Apache Qpid Broker-J.
 */
public final class LocalAmqp extends AbstractBroker {

    private static final Optional<Function<List<String>, LocalProcess>> NO_CONTROL = Optional.empty();
    private static final Duration CONTROL_LIMIT = Duration.ofSeconds(30);

    private final boolean rabbit;
    private final String product;

    private LocalAmqp(Place place, Server server) {
        super(place, server);
        rabbit = server instanceof RabbitServer;
        begin();
        product = (rabbit ? "RabbitMQ " : "Qpid Broker-J ")
                + AmqpGreeting.from(port()).map(AmqpGreeting::version).orElse("");
    }

    /** An AMQP broker with Tandem's defaults; see {@link Builder} for what can be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Whether it is RabbitMQ: with quorum queues, single active consumers, and messages that survive a restart. */
    public boolean isRabbit() {
        return rabbit;
    }

    @Override
    public String product() {
        return product;
    }

    /** {@code amqp://guest:guest@127.0.0.1:<port>}. */
    @Override
    public String address() {
        return "amqp://guest:guest@127.0.0.1:" + port();
    }

    /**
     * {@inheritDoc}
     *
     * <p>RabbitMQ itself forgets a quorum queue that was declared in the last second before, and with it its messages.
     */
    @Override
    public void kill() {
        super.kill();
    }

    /**
     * Gives RabbitMQ a command by rabbitmqctl, and waits for its end.
     *
     * @param command such as {@code set_disk_free_limit 50MB}
     * @return what it said
     * @throws LocalException when it can't be given, as for Qpid Broker-J or in a container, or fails
     */
    public String control(String... command) {
        LocalProcess program = (server() instanceof RabbitServer node ? node.control() : NO_CONTROL)
                .orElseThrow(() -> new LocalException(
                        "There is no rabbitmqctl for " + this + ": only for a RabbitMQ that is a process."))
                .apply(List.of(command));
        try {
            Files.deleteIfExists(program.log());
            program.start();
            boolean ended = program.awaitExit(CONTROL_LIMIT);
            String said = Files.readString(program.log());
            if (!ended || program.exitStatus() != 0) {
                throw new LocalException("rabbitmqctl " + String.join(" ", command)
                        + (ended ? " ended with status " + program.exitStatus() : " did not end in time") + ": "
                        + said);
            }
            return said;
        } catch (IOException e) {
            throw new LocalException("What rabbitmqctl said can't be read: " + e, e);
        } finally {
            program.close();
        }
    }

    /** Settings of a {@link LocalAmqp}. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private LocalMode mode = LocalMode.configured();
        private boolean rabbitOnly;
        private boolean fullSpeed;
        private int port;
        private @Nullable Path data;

        private Builder() {}

        /** The port; without one a free one is taken. */
        public Builder port(int number) {
            this.port = number;
            return this;
        }

        /** A folder that keeps the messages; null, as by itself, makes it temporary. */
        public Builder data(@Nullable Path folder) {
            this.data = folder;
            return this;
        }

        /** A line of {@code rabbitmq.conf}, over the defaults. Qpid Broker-J knows none of them. */
        public Builder setting(String name, String value) {
            settings.put(name, value);
            return this;
        }

        /** Which kinds may be used; without this what {@link LocalMode#configured()} says. */
        public Builder mode(LocalMode allowed) {
            this.mode = allowed;
            return this;
        }

        /** RabbitMQ or nothing: {@link #start()} throws {@link UnavailableException} where there is none. */
        public Builder rabbitOnly() {
            this.rabbitOnly = true;
            return this;
        }

        /** For a benchmark, or long use: runs faster once it is warm, and starts slower. Only for embedded brokers. */
        public Builder fullSpeed() {
            this.fullSpeed = true;
            return this;
        }

        /**
         * Starts the broker and waits until it takes clients.
         *
         * @throws UnavailableException when the mode allows none that is here
         * @throws LocalException when it does not start
         */
        public LocalAmqp start() {
            return Discovery.choose(mode, data, this::inContainer, this::asProcess);
        }

        private LocalAmqp asProcess(LocalMode allowed) {
            Optional<Path> script = allowed == LocalMode.EMBEDDED ? Optional.empty() : RabbitServer.script();
            if (script.isEmpty() && (rabbitOnly || allowed == LocalMode.PATH)) {
                throw new UnavailableException(
                        allowed == LocalMode.EMBEDDED
                                ? "RabbitMQ cannot be embedded, and " + LocalMode.VARIABLE
                                        + "=embedded allows nothing else."
                                : "rabbitmq-server is not on the PATH. Install it ('apt-get install rabbitmq-server'),"
                                        + " or start Docker.");
            }
            Place place = Place.of("amqp", port, data);
            return new LocalAmqp(
                    place,
                    script.isPresent()
                            ? RabbitServer.process(script.get(), place, settings)
                            : new QpidServer(place, fullSpeed));
        }

        private LocalAmqp inContainer() {
            Place place = Place.of("amqp", port, null);
            return new LocalAmqp(place, RabbitServer.container(place, settings));
        }
    }
}
