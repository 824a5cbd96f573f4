/**
 * Judges what a platform runs on: Redis, Kafka, RabbitMQ and clocks. Pure: {@code runtime} gathers the facts, and {@code api} shows
 * the findings.
 */
@NullMarked
package dev.tandem.server.doctor;

import org.jspecify.annotations.NullMarked;
