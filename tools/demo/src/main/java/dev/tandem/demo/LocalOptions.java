package dev.tandem.demo;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name existing brokers. The commands start the others. */
final class LocalOptions {

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

    LocalBrokers.ExistingBrokers existing() {
        return new LocalBrokers.ExistingBrokers(kafka, rabbit, redis);
    }

    int apiPort() {
        return port > 0 ? port : LocalBrokers.freePort(8080);
    }
}
