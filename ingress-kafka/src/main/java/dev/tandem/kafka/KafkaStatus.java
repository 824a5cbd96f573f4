package dev.tandem.kafka;

import java.time.Instant;

/**
 * How a source stands with its broker.
 *
 * @param connected whether tasks can come in
 * @param since when that began
 * @param detail for people: why not, or where to
 */
public record KafkaStatus(boolean connected, Instant since, String detail) {}
