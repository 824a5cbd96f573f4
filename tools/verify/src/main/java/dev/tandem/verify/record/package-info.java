/** The history of a trial: events that processes write to files as they happen, and that survive a kill -9. */
@NullMarked
package dev.tandem.verify.record;

import org.jspecify.annotations.NullMarked;
