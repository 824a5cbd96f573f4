/**
 * What is to be recorded in the store, and the numbered requests that carry it until it is durable.
 *
 * <p>Internal to the core. Nothing here does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.requests;

import org.jspecify.annotations.NullMarked;
