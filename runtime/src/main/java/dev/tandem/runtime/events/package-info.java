/** Publishes the events of queues, from the store to their brokers. */
@NullMarked
package dev.tandem.runtime.events;

import org.jspecify.annotations.NullMarked;
