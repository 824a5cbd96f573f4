/**
 * The pure core of ordering: events in, commands out. No I/O, no clock, no threads.
 *
 * <p>{@code QueueCore} is a queue in this process, {@code PartitionCore} one of its partitions. What it holds is in {@code
 * Memory} (lanes by key, what is tracked until the broker may forget it, what is on its way to the store), and those who
 * work on that are, in the order of a task's life: {@code OwnershipAcquisition} (the partition is acquired), {@code DeliveryRouter} (a task is
 * delivered), {@code OwnerRequests} (it is claimed, recorded, parked), {@code RunLifecycle}, {@code StoreAnswerHandler}, {@code DeferredTasks} and {@code
 * Breaks} (all that goes otherwise).
 */
@NullMarked
package dev.tandem.ordering;

import org.jspecify.annotations.NullMarked;
