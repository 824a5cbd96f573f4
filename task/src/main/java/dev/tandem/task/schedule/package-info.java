/** The records of schedules in the store, which make each firing happen once ({@code docs/store-protocol.md}). */
@NullMarked
package dev.tandem.task.schedule;

import org.jspecify.annotations.NullMarked;
