/**
 * The queues of a process: creates their sources, the store and the executor from the settings, starts and stops them, and
 * tells their state. The server and programs with handlers of their own share it.
 */
@NullMarked
package dev.tandem.runtime.queues;

import org.jspecify.annotations.NullMarked;
