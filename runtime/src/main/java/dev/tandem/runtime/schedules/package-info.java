/**
 * Schedules: the rules by which tasks are fired again and again. {@link dev.tandem.runtime.schedules.FiringCore} decides, without
 * I/O and without a clock; {@link dev.tandem.runtime.schedules.ScheduleRunner} carries out.
 */
@NullMarked
package dev.tandem.runtime.schedules;

import org.jspecify.annotations.NullMarked;
