/** The Kafka front door: one thread owns each consumer, its state and its commits. */
@NullMarked
package dev.tandem.kafka;

import org.jspecify.annotations.NullMarked;
