/**
 * Tasks and the transactions of an application's database: {@link dev.tandem.outbox.Outbox} submits tasks with a
 * transaction, {@link dev.tandem.outbox.OutboxRelay} publishes them, and {@link dev.tandem.outbox.Once} has the effects of
 * a handler in a database happen once.
 */
@NullMarked
package dev.tandem.outbox;

import org.jspecify.annotations.NullMarked;
