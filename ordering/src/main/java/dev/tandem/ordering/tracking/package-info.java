/**
 * Trackers of the deliveries that the broker must not forget yet, and of the answers of the store that are durable.
 *
 * <p>Internal to the core. Nothing here does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.tracking;

import org.jspecify.annotations.NullMarked;
