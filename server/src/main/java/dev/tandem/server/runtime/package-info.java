/** Builds sources, store and executor from the settings, starts and stops them, and reports how they are. */
@NullMarked
package dev.tandem.server.runtime;

import org.jspecify.annotations.NullMarked;
