package dev.tandem.local;

import org.jspecify.annotations.Nullable;

/**
 * Addresses of brokers that the user named. A broker whose address is null is started on this machine.
 *
 * @param kafka bootstrap servers
 * @param rabbit URI of RabbitMQ
 * @param redis URI of Redis
 */
public record BrokerAddresses(
        @Nullable String kafka,
        @Nullable String rabbit,
        @Nullable String redis) {}
