/**
 * The protocol between the pure core and what keeps custody for it (Redis): requests and answers as plain values.
 *
 * <p>A writer numbers its requests and sends them in order. A store checks the epoch, then the number, then applies the
 * whole request or nothing. The answers OK, APPLIED, GAP, FENCED, DONE, BLOCKED and OPEN are explained at
 * {@link dev.tandem.task.store.StoreAnswer}.
 */
@NullMarked
package dev.tandem.task.store;

import org.jspecify.annotations.NullMarked;
