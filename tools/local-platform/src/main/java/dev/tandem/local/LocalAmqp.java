package dev.tandem.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An AMQP 0-9-1 broker on 127.0.0.1, user and password "guest": RabbitMQ with the consistent-hash exchange where it is
 * available, else Apache Qpid Broker-J.
 */
public final class LocalAmqp extends AbstractBroker {

    private static final Optional<Function<List<String>, LocalProcess>> NO_CONTROL = Optional.empty();
    private static final Duration CONTROL_LIMIT = Duration.ofSeconds(120);

    private final boolean rabbit;
    private final String product;

    private LocalAmqp(BrokerLocation location, BrokerServer server) {
        super(location, server);
        rabbit = server instanceof RabbitServer;
        begin();
        product = (rabbit ? "RabbitMQ " : "Qpid Broker-J ")
                + AmqpGreeting.from(port()).map(AmqpGreeting::version).orElse("");
    }

    /** Builds an AMQP broker with Tandem's defaults. */
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
        return address(port());
    }

    static String address(int port) {
        return "amqp://guest:guest@127.0.0.1:" + port;
    }

    /**
     * {@inheritDoc}
     *
     * <p>RabbitMQ loses a quorum queue, with its messages, that was declared within the last second.
     */
    @Override
    public void kill() {
        super.kill();
    }

    /**
     * Runs a command of rabbitmqctl and waits for its end.
     *
     * @param command such as {@code set_disk_free_limit 50MB}
     * @return its output
     * @throws LocalException when it fails, or cannot be run, as for Qpid Broker-J and in a container
     */
    public String control(String... command) {
        LocalProcess program = (server() instanceof RabbitServer node ? node.control() : NO_CONTROL)
                .orElseThrow(() -> new LocalException(
                        "There is no rabbitmqctl for " + this + ": it needs a RabbitMQ that runs as a process."))
                .apply(List.of(command));
        try {
            Files.deleteIfExists(program.log());
            program.start();
            boolean ended = program.awaitExit(CONTROL_LIMIT);
            String output = Files.readString(program.log());
            if (!ended || program.exitStatus() != 0) {
                String end = ended
                        ? "ended with status " + program.exitStatus()
                        : "did not end within " + CONTROL_LIMIT.toSeconds() + " s";
                throw new LocalException("rabbitmqctl " + String.join(" ", command) + " " + end + ": " + output);
            }
            return output;
        } catch (IOException e) {
            throw new LocalException("The output of rabbitmqctl cannot be read: " + e, e);
        } finally {
            program.close();
        }
    }

    /** Settings of a {@link LocalAmqp}. Not thread-safe. */
    public static final class Builder extends BrokerBuilder<Builder> {

        private boolean rabbitOnly;
        private boolean hashExchange = true;
        private @Nullable RabbitMember member;

        private Builder() {}

        @Override
        Builder self() {
            return this;
        }

        /**
         * Rules Qpid Broker-J out: {@link #start()} throws {@link MissingBrokerException} where there is no RabbitMQ.
         */
        public Builder rabbitOnly() {
            this.rabbitOnly = true;
            return this;
        }

        /** Rules Qpid Broker-J out, and starts RabbitMQ without the plugin that has the consistent-hash exchange. */
        public Builder withoutHashExchange() {
            this.hashExchange = false;
            return rabbitOnly();
        }

        /** Makes it a node of a cluster. It runs as a process then. */
        Builder member(RabbitMember place) {
            this.member = place;
            return rabbitOnly();
        }

        /**
         * Starts the broker and waits until it accepts clients.
         *
         * @throws MissingBrokerException when there is none that the mode allows
         * @throws LocalException when it does not start
         */
        public LocalAmqp start() {
            return RuntimeSelection.choose(mode(), data(), this::inContainer, this::asProcess);
        }

        private LocalAmqp asProcess(LocalMode allowed) {
            Optional<Path> script = allowed == LocalMode.EMBEDDED ? Optional.empty() : RabbitServer.script();
            if (script.isEmpty() && (rabbitOnly || allowed == LocalMode.PATH)) {
                throw new MissingBrokerException(
                        allowed == LocalMode.EMBEDDED
                                ? "RabbitMQ cannot be embedded, and " + LocalMode.VARIABLE
                                        + "=embedded allows nothing else."
                                : "rabbitmq-server is not on the PATH. Install it ('apt-get install rabbitmq-server'),"
                                        + " or start Docker.");
            }
            BrokerLocation location = location("amqp");
            return new LocalAmqp(
                    location,
                    script.isPresent()
                            ? RabbitServer.process(
                                    script.get(), location, settings(), hashExchange, Optional.ofNullable(member))
                            : new QpidServer(location, isFullSpeed()));
        }

        private LocalAmqp inContainer() {
            BrokerLocation location = containerLocation("amqp");
            return new LocalAmqp(location, RabbitServer.container(location, settings(), hashExchange));
        }
    }
}
