/**
 * Kafka as a source of tasks, and the publisher of tasks to Kafka. One thread polls each consumer, keeps the state of
 * its partitions and commits their offsets.
 */
@NullMarked
package dev.tandem.kafka;

import org.jspecify.annotations.NullMarked;
