/** Counts and durations of the runs of a queue, in points of time. Pure. */
@NullMarked
package dev.tandem.task.statistics;

import org.jspecify.annotations.NullMarked;
