package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One AMQP 0-9-1 broker as a child process on 127.0.0.1, user and password "guest": RabbitMQ with the consistent-hash
 * exchange where it is installed, else Apache Qpid Broker-J.
 */
public final class LocalAmqp implements LocalBroker {

    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final AmqpServer server;
    private final LocalProcess process;
    private final int port;
    private final Path data;
    private final boolean temporary;
    private final String product;

    private LocalAmqp(Builder builder) {
        port = builder.port != 0 ? builder.port : Ports.reserve();
        Path given = builder.data;
        temporary = given == null;
        Path home = given != null ? given : Folders.fresh("amqp-" + port);
        data = home.resolve("data");
        if (temporary) {
            Folders.deleteAtEnd(data);
        }
        try {
            Files.createDirectories(data);
        } catch (IOException e) {
            throw new LocalException("The AMQP broker's folder " + data + " cannot be made: " + e, e);
        }
        server = builder.server(new AmqpServer.Place(port, home, data, temporary));
        process = server.broker();
        start();
        product = server.name() + " "
                + AmqpGreeting.from(port).map(AmqpGreeting::version).orElse("");
    }

    /** An AMQP broker with Tandem's defaults; see {@link Builder} for what can be changed. */
    public static Builder builder() {
        return new Builder();
    }

    /** Whether it is RabbitMQ: with quorum queues, single active consumers, and messages that survive a restart. */
    public boolean isRabbit() {
        return server instanceof RabbitServer;
    }

    @Override
    public String product() {
        return product;
    }

    @Override
    public String origin() {
        return server.origin();
    }

    /** {@code amqp://guest:guest@127.0.0.1:<port>}. */
    @Override
    public String address() {
        return "amqp://guest:guest@127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    @Override
    public boolean isRunning() {
        return process.isRunning();
    }

    /**
     * {@inheritDoc}
     *
     * <p>RabbitMQ itself forgets a quorum queue that was declared in the last second before, and with it its messages.
     */
    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void stop() {
        process.stop(STOP_LIMIT);
    }

    @Override
    public void start() {
        if (process.isRunning()) {
            return;
        }
        server.prepare();
        process.startAndAwait(START_LIMIT, server::ready);
    }

    @Override
    public void suspend() {
        process.suspend();
    }

    @Override
    public void resume() {
        process.resume();
    }

    /** The file with its log. */
    public Path log() {
        return process.log();
    }

    @Override
    public void close() {
        process.close();
        server.release();
        if (temporary) {
            Folders.delete(data);
        }
    }

    @Override
    public String toString() {
        return product + " (" + origin() + ") at 127.0.0.1:" + port;
    }

    /** Settings of a {@link LocalAmqp}. Not thread-safe. */
    public static final class Builder {

        private final Map<String, String> settings = new LinkedHashMap<>();
        private LocalMode mode = LocalMode.configured();
        private boolean rabbitOnly;
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

        /** Which programs may be used; without this what {@link LocalMode#configured()} says. */
        public Builder mode(LocalMode allowed) {
            this.mode = allowed;
            return this;
        }

        /** RabbitMQ or nothing: {@link #start()} throws {@link UnavailableException} where it is not installed. */
        public Builder rabbitOnly() {
            this.rabbitOnly = true;
            return this;
        }

        /** Starts the broker and waits until it takes clients. */
        public LocalAmqp start() {
            return new LocalAmqp(this);
        }

        private AmqpServer server(AmqpServer.Place place) {
            Optional<Path> script = mode == LocalMode.EMBEDDED ? Optional.empty() : RabbitServer.script();
            if (script.isPresent()) {
                return new RabbitServer(script.get(), place, settings);
            }
            if (rabbitOnly || mode == LocalMode.PATH) {
                throw new UnavailableException(
                        mode == LocalMode.EMBEDDED
                                ? "RabbitMQ cannot be embedded, and " + LocalMode.VARIABLE
                                        + "=embedded allows nothing else."
                                : "rabbitmq-server is not on the PATH. Install it ('apt-get install rabbitmq-server').");
            }
            return new QpidServer(place);
        }
    }
}
