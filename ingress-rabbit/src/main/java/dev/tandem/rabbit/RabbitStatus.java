package dev.tandem.rabbit;

import java.time.Instant;

/**
 * How a source or publisher stands with its broker.
 *
 * @param connected whether tasks can pass
 * @param since when that began
 * @param detail for people: why not, or to what
 */
public record RabbitStatus(boolean connected, Instant since, String detail) {}
