/** Everything that Redis holds: claims, delays, retries, parked lanes, the dead, and the patrol. */
@NullMarked
package dev.tandem.scheduler;

import org.jspecify.annotations.NullMarked;
