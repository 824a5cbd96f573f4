package dev.tandem.rabbit;

import java.time.Instant;

/**
 * The state of a source's connection to its broker.
 *
 * @param connected whether tasks can arrive
 * @param since when this state began
 * @param detail for people: why it is not connected, or to which broker it is
 */
public record RabbitStatus(boolean connected, Instant since, String detail) {}
