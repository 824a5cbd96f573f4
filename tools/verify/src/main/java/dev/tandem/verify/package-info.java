/**
 * {@code ./tandem verify}: runs trials with real processes and brokers, injects faults under load, and reports what the
 * checker finds in the recorded histories.
 */
@NullMarked
package dev.tandem.verify;

import org.jspecify.annotations.NullMarked;
