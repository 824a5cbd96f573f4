/** Submits tasks to Kafka and RabbitMQ. Start with {@link dev.tandem.client.TandemClient}. */
@NullMarked
package dev.tandem.client;

import org.jspecify.annotations.NullMarked;
