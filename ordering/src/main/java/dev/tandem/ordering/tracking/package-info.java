/**
 * What was delivered and must not be forgotten by the broker yet, and which answers of the store are durable.
 *
 * <p>Internal to the core. Nothing here does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.tracking;

import org.jspecify.annotations.NullMarked;
