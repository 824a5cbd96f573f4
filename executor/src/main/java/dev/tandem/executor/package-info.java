/** The runtime that runs handlers under leases and settles what they return. */
@NullMarked
package dev.tandem.executor;

import org.jspecify.annotations.NullMarked;
