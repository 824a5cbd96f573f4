/**
 * Recognition of redelivered messages. Only message queues (RabbitMQ) need it: a log names its records by their offsets.
 *
 * <p>{@code docs/adr/0005-rabbitmq-identity.md} says what is certain and what is not. Internal to the core. Nothing here
 * does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.redelivery;

import org.jspecify.annotations.NullMarked;
