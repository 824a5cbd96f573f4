package dev.tandem.executor;

import dev.tandem.ordering.CoreEvent;
import dev.tandem.ordering.QueueCore;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The partitions that a queue's loop holds, each with its store link. A held partition was assigned by the broker, or
 * the loop tries to lease it; an owned one has been acquired in the store. Used by the loop's thread only.
 */
final class HeldPartitions {

    private static final Logger log = LoggerFactory.getLogger(HeldPartitions.class);

    private final String queue;
    private final QueueCore core;
    private final LoopInbox inbox;
    private final LoopStatus status;
    private final StoreLinks links;
    private final WriterNames writers = new WriterNames();
    private final Set<Partition> held = new HashSet<>();
    private final Set<Partition> owned = new HashSet<>();
    /** Why held partitions are not owned, where an executor with another source owns them. */
    private final Map<Partition, String> ownedByOtherSource = new HashMap<>();
    /** Held partitions whose link is down. */
    private int down;
    /** Whether it is logged that a link is down whose partition is not held, and not yet that all are up again. */
    private boolean loggedUnheldDown;
    /** Whether links stay open without a partition, to hear of the store. */
    private boolean keepsLinks;

    HeldPartitions(QueueSpec spec, QueueCore core, LoopInbox inbox, LoopStatus status, ExecutorClock clock) {
        this.queue = spec.name();
        this.core = core;
        this.inbox = inbox;
        this.status = status;
        this.links = new StoreLinks(spec.store(), inbox, clock, new LinkEvents());
    }

    Set<Partition> held() {
        return held;
    }

    Set<Partition> owned() {
        return owned;
    }

    /** Holds a partition from now on, unless the loop is stopping. */
    void hold(Partition partition, Source.Facts facts) {
        if (status.state() == QueueStatus.State.STOPPING) {
            return;
        }
        held.add(partition);
        owned.remove(partition);
        core.assigned(partition, facts, writers.of(partition));
        // The core may remember the state of an earlier link of this partition.
        if (links.open(partition)) {
            core.storeUp(partition);
        } else {
            core.storeDown(partition);
        }
        core.storeRoom(partition, links.room(partition));
        publish();
    }

    /** Notes that the store made this process the partition's owner. */
    void acquired(Partition partition) {
        owned.add(partition);
        if (ownedByOtherSource.remove(partition) != null) {
            publish();
        }
    }

    /** Notes that an executor with another source owns the partition. Logs the first one. */
    void refused(CoreEvent.OwnedByOtherSource refusal) {
        String reason = "queue " + queue + " is owned by another source: executor " + refusal.owner() + " reads '"
                + refusal.otherSource() + "', this one reads '" + refusal.ownSource()
                + "'. Give each platform on this Redis its own tandem.redis.namespace, or its queues other names";
        boolean first = ownedByOtherSource.isEmpty();
        if (held.contains(refusal.partition()) && !reason.equals(ownedByOtherSource.put(refusal.partition(), reason))) {
            publish();
            if (first) {
                log.warn("{}, and perhaps other partitions: {}", refusal.partition(), reason);
            }
        }
    }

    /** Forgets a partition that was released or lost. Its link stays open. */
    void left(Partition partition) {
        held.remove(partition);
        owned.remove(partition);
        ownedByOtherSource.remove(partition);
        publish();
    }

    void send(StoreRequest request) {
        links.send(request);
    }

    /** Opens the store link of a partition that need not be held. The core is told when the link is up. */
    void reach(Partition partition) {
        if (links.open(partition)) {
            inbox.post(() -> core.storeUp(partition));
        }
    }

    /**
     * Closes the links of partitions that left, once no late outcome needs them any more. Without any partition they stay, so
     * that the store's health is known: a process that waits for its broker must not say that the store is away.
     */
    void closeUnusedLinks() {
        if (!keepsLinks
                && !held.isEmpty()
                && links.count() > held.size()
                && core.idle()
                && !core.isResolvingRedeliveries()) {
            links.retain(held).forEach(core::storeDown);
        }
    }

    /** Keeps the links open from now on, also those of partitions that leave, or closes those again when unused. */
    void keepLinks(boolean keep) {
        keepsLinks = keep;
        publish();
    }

    /** Returns whether the store of some partition can be reached, held or not. */
    boolean isStoreReached() {
        return links.isAnyUp();
    }

    /** Calls back if a part of the store can be reached, although no link may be up. */
    void findReachablePart(Runnable reached) {
        links.findReachablePart(reached);
    }

    /** As {@link StoreLinks#silentSince}, for the held partitions. */
    long storeSilentSince() {
        return down < held.size() ? StoreLinks.NOT_SILENT : links.silentSince(held);
    }

    void closeAllLinks() {
        links.retain(Set.of());
    }

    private void publish() {
        down = links.countDown(held);
        status.partitions(
                held.size(),
                down,
                links.downReason(held),
                ownedByOtherSource.values().stream().findFirst().orElse(null),
                keepsLinks ? links.downReason() : null);
    }

    /**
     * The store's events. The first link that breaks is logged, and then the moment when all are up again. Links that are kept
     * without a partition count too: all of them break when the store restarts.
     */
    private final class LinkEvents implements StoreLinks.Listener {

        @Override
        public void answered(StoreRequest request, StoreAnswer answer) {
            core.answered(request, answer);
        }

        @Override
        public void down(Partition partition, String reason) {
            boolean isHeld = held.contains(partition);
            boolean first = down == 0 && (isHeld || !loggedUnheldDown);
            core.storeDown(partition);
            publish();
            if (first) {
                loggedUnheldDown |= !isHeld;
                log.warn(
                        "Queue {}: cannot reach the store of {}, and perhaps of other partitions: {}",
                        queue,
                        partition,
                        reason);
            }
        }

        @Override
        public void up(Partition partition) {
            boolean anyDown = down > 0;
            core.storeUp(partition);
            publish();
            boolean allUp = loggedUnheldDown && links.areAllUp();
            if (anyDown && down == 0) {
                log.info("Queue {}: connected to the store of all {} partitions", queue, held.size());
            } else if (allUp && held.isEmpty()) {
                log.info("Queue {}: connected to the store again", queue);
            }
            loggedUnheldDown &= !allUp;
        }

        @Override
        public void room(Partition partition, StoreRoom room) {
            core.storeRoom(partition, room);
        }

        @Override
        public void woken(Partition partition) {
            core.woken(partition);
        }
    }
}
