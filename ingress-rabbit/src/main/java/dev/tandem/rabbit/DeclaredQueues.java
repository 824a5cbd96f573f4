package dev.tandem.rabbit;

import java.util.List;

/**
 * The result of declaring a queue's topology.
 *
 * @param names the broker's queue of each partition
 * @param subQueuesAdded whether sub-queues were missing and have been created. Then the ring must be built again, or
 *     keys would move at the next restart of the broker
 */
record DeclaredQueues(List<String> names, boolean subQueuesAdded) {}
