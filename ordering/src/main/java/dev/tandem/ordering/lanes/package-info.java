/**
 * The tasks that an owner has in memory: one {@link dev.tandem.ordering.lanes.TaskEntry} for each, waiting in the lane of
 * its key.
 *
 * <p>Internal to the core. Nothing here does I/O, reads a clock or starts a thread.
 */
@NullMarked
package dev.tandem.ordering.lanes;

import org.jspecify.annotations.NullMarked;
