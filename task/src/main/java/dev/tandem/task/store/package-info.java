/**
 * The protocol between the pure core and the store that keeps custody for it (Redis): requests and answers as plain
 * values. {@code docs/store-protocol.md} states the exact effect of each request.
 *
 * <p>A writer numbers its requests and sends them in order. The store checks the epoch, then the number, and then
 * applies either the whole request or nothing of it.
 */
@NullMarked
package dev.tandem.task.store;

import org.jspecify.annotations.NullMarked;
