/** The pure core of ordering: events in, commands out. No I/O, no clock, no threads. */
@NullMarked
package dev.tandem.ordering;

import org.jspecify.annotations.NullMarked;
