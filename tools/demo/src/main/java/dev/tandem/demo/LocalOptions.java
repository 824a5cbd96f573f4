package dev.tandem.demo;

import dev.tandem.kit.ConsoleProgress;
import dev.tandem.local.BrokerAddresses;
import dev.tandem.local.LocalException;
import dev.tandem.local.LocalPlatform;
import dev.tandem.local.PortHolder;
import dev.tandem.local.PortReservations;
import dev.tandem.runtime.settings.Secrets;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name existing brokers and the port of the API. The commands start the other brokers. */
final class LocalOptions {

    private static final Duration LOG_INTERVAL = Duration.ofSeconds(3);
    private static final int USUAL_PORT = 8080;

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

    @Option(
            names = "--port",
            paramLabel = "PORT",
            description = "where the API and the console listen (default: 8080, or another one if that is taken)")
    private int port;

    /** Begins to start the brokers that are not given, and prints a line about each broker. */
    LocalPlatform startPlatform(boolean amqp, ConsoleProgress output) {
        return LocalPlatform.start(
                new BrokerAddresses(kafka, rabbit, redis), amqp, message -> output.line(Secrets.masked(message)));
    }

    /** Returns whether Redis is not started by the command, and so may have the tasks of earlier runs. */
    boolean namesRedis() {
        return redis != null;
    }

    /** Returns the standard output, with the progress redrawn at will on a terminal, else printed now and then. */
    ConsoleProgress output() {
        return ConsoleProgress.of(new PrintWriter(System.out, true), Duration.ZERO, LOG_INTERVAL);
    }

    /**
     * Returns the port of the API.
     *
     * @throws LocalException if it was asked for and is taken: the other program's answers would pass for the server's
     */
    int apiPort(ConsoleProgress output) {
        if (port <= 0) {
            int found = PortReservations.usualOrReserved(USUAL_PORT);
            if (found != USUAL_PORT) {
                output.line(PortReservations.otherPort("the API", USUAL_PORT, found) + "; --port chooses one");
            }
            return found;
        }
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(port));
            return port;
        } catch (IOException e) {
            boolean mayNot = String.valueOf(e.getMessage()).contains("Permission");
            throw new LocalException(
                    "The API cannot listen on port " + port + ": "
                            + (mayNot ? e.getMessage() : "it is taken " + PortHolder.describe(port) + ". End that")
                            + ", choose another --port, or leave --port out",
                    e);
        }
    }
}
