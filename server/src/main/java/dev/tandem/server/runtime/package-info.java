/** Creates sources, store and executor from the settings, starts and stops them, and reports their state. */
@NullMarked
package dev.tandem.server.runtime;

import org.jspecify.annotations.NullMarked;
