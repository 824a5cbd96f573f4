/**
 * The runtime around the ordering core: takes tasks from sources, runs their handlers, and records their outcomes in
 * the store.
 *
 * <p>Threads: each queue has one {@code QueueLoop}, whose thread alone uses the queue's source, core and partitions.
 * Handlers run on the threads of the queue's {@code WorkerPool}. One {@code TimeoutWatchdog} for the whole executor
 * interrupts them. Other threads reach a loop only through its {@code LoopInbox}, and read what it publishes in its
 * {@code LoopStatus}.
 */
@NullMarked
package dev.tandem.executor;

import org.jspecify.annotations.NullMarked;
