/** Leases the tasks of all executors to pull workers, on whichever server they ask. */
@NullMarked
package dev.tandem.server.pull;

import org.jspecify.annotations.NullMarked;
