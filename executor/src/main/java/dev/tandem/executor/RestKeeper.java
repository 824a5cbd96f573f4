package dev.tandem.executor;

import dev.tandem.task.Partition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides when a source whose broker assigns the partitions rests: from the start until the store is reached, and later
 * when none of the held partitions' stores has answered for a lease. The broker sees a process at work, so without this
 * the keys of its partitions would rest for as long as it is cut off. Used by the loop's thread only.
 */
final class RestKeeper {

    private static final Logger log = LoggerFactory.getLogger(RestKeeper.class);

    private enum State {
        NEW,
        AT_WORK,
        RESTING
    }

    private final String queue;
    private final LoopSource source;
    private final HeldPartitions partitions;
    private final long restAfterMillis;
    private State state = State.NEW;
    /** When a part of the store is looked for next, before the process has ever joined. */
    private long lookAt;

    private boolean everJoined;
    /** Whether people were told of this rest. */
    private boolean announced;

    /**
     * @param executorId spreads the moments in which executors rest. If the store is down for all of them, the first
     *     that leaves passes its partitions on, and with new partitions the others wait anew: most keep their ownership
     */
    RestKeeper(String queue, String executorId, long leaseMillis, LoopSource source, HeldPartitions partitions) {
        this.queue = queue;
        this.source = source;
        this.partitions = partitions;
        this.restAfterMillis = leaseMillis + Math.floorMod(executorId.hashCode(), Math.max(1, leaseMillis / 4));
    }

    /** Begins or ends the rest if it is time to. Called between polls, at least every second. */
    void check(long nowMillis) {
        switch (state) {
            case NEW -> {
                // Every log has this partition, so its link tells of the store before any partition is assigned.
                partitions.reach(Partition.of(queue, 0));
                lookAt = nowMillis + restAfterMillis;
                rest();
                checkStore();
            }
            case RESTING -> {
                checkStore();
                if (state == State.RESTING && !everJoined && nowMillis >= lookAt) {
                    // Of a cluster, the node of that partition may be away, and the others work.
                    lookAt = nowMillis + restAfterMillis;
                    partitions.findReachablePart(this::partReached);
                }
            }
            case AT_WORK -> {
                long since = partitions.storeSilentSince();
                if (since != StoreLinks.NOT_SILENT && nowMillis - since >= restAfterMillis) {
                    log.warn(
                            "Queue {}: no store has answered for {} ms. Leaving the consumer group if there are other"
                                    + " members, which then go on with {}. Joining again once the store"
                                    + " is reached",
                            queue,
                            nowMillis - since,
                            PartitionNames.describe(partitions.held()));
                    announced = true;
                    rest();
                }
            }
        }
    }

    private void rest() {
        state = State.RESTING;
        partitions.keepLinks(true);
        source.rest(true);
    }

    private void checkStore() {
        if (partitions.isStoreReached()) {
            work();
        }
    }

    private void partReached() {
        if (state == State.RESTING && !everJoined) {
            log.warn(
                    "Queue {}: some nodes of the store cannot be reached. This process takes partitions all the same;"
                            + " those on the missing nodes wait",
                    queue);
            work();
        }
    }

    private void work() {
        state = State.AT_WORK;
        everJoined = true;
        if (announced) {
            announced = false;
            log.info("Queue {}: the store is reached again, so this process takes partitions again", queue);
        }
        source.rest(false);
        partitions.keepLinks(false);
    }
}
