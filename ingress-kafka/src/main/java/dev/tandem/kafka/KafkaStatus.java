package dev.tandem.kafka;

import java.time.Instant;

/**
 * The state of a source's connection to Kafka.
 *
 * @param connected whether tasks can arrive
 * @param since when this state began
 * @param detail for people: why it is not connected
 */
public record KafkaStatus(boolean connected, Instant since, String detail) {}
