/**
 * How far a process is with owning a partition: the phases, and the legal steps between them.
 *
 * <p>Internal to the core. Nothing here does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.ownership;

import org.jspecify.annotations.NullMarked;
