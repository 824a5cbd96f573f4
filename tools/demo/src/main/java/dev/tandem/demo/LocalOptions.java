package dev.tandem.demo;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.local.BrokerAddresses;
import dev.tandem.local.LocalPlatform;
import dev.tandem.local.PortReservations;
import dev.tandem.runtime.settings.Secrets;
import java.io.PrintWriter;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name existing brokers and the port of the API. The commands start the other brokers. */
final class LocalOptions {

    private static final Duration LOG_INTERVAL = Duration.ofSeconds(3);

    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT",
            description = "use this Kafka instead of starting one (or TANDEM_KAFKA_BOOTSTRAPSERVERS)",
            defaultValue = "${env:TANDEM_KAFKA_BOOTSTRAPSERVERS}")
    private @Nullable String kafka;

    @Option(
            names = "--rabbit",
            paramLabel = "URI",
            description = "use this RabbitMQ instead of starting one (or TANDEM_RABBIT_URI)",
            defaultValue = "${env:TANDEM_RABBIT_URI}")
    private @Nullable String rabbit;

    @Option(
            names = "--redis",
            paramLabel = "URI",
            description = "use this Redis instead of starting one (or TANDEM_REDIS_URI)",
            defaultValue = "${env:TANDEM_REDIS_URI}")
    private @Nullable String redis;

    @Option(names = "--port", paramLabel = "PORT", description = "where the API listens (default: 8080 if it is free)")
    private int port;

    /** Begins to start the brokers that are not given, and prints a line about each broker. */
    LocalPlatform startPlatform(boolean amqp, ConsoleProgress output) {
        return LocalPlatform.start(
                new BrokerAddresses(kafka, rabbit, redis), amqp, message -> output.line(Secrets.masked(message)));
    }

    /** Returns the standard output, with the progress redrawn at will on a terminal, else printed now and then. */
    ConsoleProgress output() {
        return ConsoleProgress.of(new PrintWriter(System.out, true), Duration.ZERO, LOG_INTERVAL);
    }

    int apiPort() {
        return port > 0 ? port : PortReservations.usualOrReserved(8080);
    }
}
