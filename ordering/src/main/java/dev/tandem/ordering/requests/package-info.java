/**
 * The outcomes and hand-overs that must be recorded in the store, and the numbered requests that carry them until they are
 * durable.
 *
 * <p>Internal to the core. Nothing here does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.requests;

import org.jspecify.annotations.NullMarked;
