/**
 * The pure core of ordering: events in, commands out. It does no I/O, reads no clock and starts no thread.
 *
 * <p>{@link dev.tandem.ordering.QueueCore} is one queue in this process, and {@code PartitionCore} one of its partitions: its
 * documentation says what it decides and where to read on. What an owner has in memory is in the packages below this one,
 * which nothing outside uses.
 */
@NullMarked
package dev.tandem.ordering;

import org.jspecify.annotations.NullMarked;
