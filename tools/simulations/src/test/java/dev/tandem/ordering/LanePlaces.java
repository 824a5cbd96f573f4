package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.DeclineOffers;
import dev.tandem.task.store.StoreRequest.Declined;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Follows which place each task of a log has in its lane.
 *
 * <p>A task enters when it is delivered to the owner and due and not in the store; a scheduled one when the store offers
 * it to the owner; both at the latest when claimed or parked. With a change of owner or a rewind, what waited in memory
 * enters anew; what the store knows to be claimed, parked, retried or awaited has its place.
 */
final class LanePlaces {

    private static final long OFFERED = -1;

    private record Memory(SimProcess process, Partition partition) {}

    /**
     * A task that a process may keep in memory.
     *
     * @param offset of its record; {@link #OFFERED} if the store offered it
     * @param due whether it was due when it came
     */
    private record KeptTask(Position position, long offset, boolean due, long place) {

        boolean offered() {
            return offset == OFFERED;
        }
    }

    private final Simulation simulation;
    private final LogBooks books;
    /** Tasks that a process may keep in memory: the broker delivered them, or the store offered them. */
    private final Map<Memory, List<KeptTask>> memory = new HashMap<>();

    LanePlaces(Simulation simulation, LogBooks books) {
        this.simulation = simulation;
        this.books = books;
    }

    /** The earlier of two places; -1: none. */
    static long earlier(long one, long other) {
        return one < 0 ? other : other < 0 ? one : Math.min(one, other);
    }

    // ---- what the store knows ----

    private ModelPartition state(Partition partition) {
        return simulation.store.state(partition);
    }

    static boolean isHead(ModelPartition state, SeenTask seen) {
        StoreAnswer.BlockedKey blocked = seen.task.key == null ? null : state.blocked(seen.task.key);
        return blocked != null && blocked.head().equals(seen.position);
    }

    private static boolean hasItsPlace(ModelPartition state, SeenTask seen) {
        return state.claim(seen.position) != null
                || state.state(seen.position) == TaskState.PARKED
                || isHead(state, seen);
    }

    void parked(Partition partition, PartitionBook book, ModelPartition state) {
        for (String key : state.lanes()) {
            for (Position position : state.lane(key)) {
                book.enter(books.seen(partition, position));
            }
        }
    }

    /** The store forgot that their lane was opened: they wait in it as before, ahead of all that came since. */
    void parkedAgain(Partition partition, PartitionBook book) {
        ModelPartition state = state(partition);
        for (String key : state.lanes()) {
            for (Position position : state.lane(key)) {
                SeenTask seen = books.find(partition, position);
                if (seen != null && seen.entered < 0) {
                    book.enter(seen);
                    seen.knownEarlier = 0;
                }
            }
        }
    }

    /** A claim that was never used gives no place: the task has the one of its delivery, or of that claim. */
    static void returned(ModelPartition state, SeenTask seen) {
        if (!isHead(state, seen)) {
            long claimed = Math.max(0, seen.entered);
            seen.knownEarlier = earlier(seen.knownEarlier, claimed);
            seen.entered = Math.max(seen.deliveredAt, seen.offeredAt);
        }
    }

    /** A task that the store does not know (any more) to have a place has the one in the owner's memory, if any. */
    void forgetUnlessStored(Partition partition, SeenTask seen) {
        ModelPartition state = state(partition);
        if (hasItsPlace(state, seen) || seen.entered < 0) {
            return;
        }
        if (state.holds(seen.position) && seen.begun) {
            // The store forgot that it had begun: it is one of those that are due again.
            seen.knownEarlier = seen.entered;
            seen.entered = -1;
        } else if (state.holds(seen.position)) {
            // It waits to be due; only an offer can bring it.
            seen.entered = seen.offeredAt;
        } else if (!seen.delivered) {
            // The store forgot that it offered it: it comes from the broker, if at all.
            seen.knownEarlier = seen.offeredAt >= 0 ? seen.offeredAt : seen.knownEarlier;
            seen.offeredAt = -1;
            seen.entered = -1;
        } else if (seen.offeredAt >= 0 && !seen.begun) {
            // The owner has its place and its delivery, and may find that the store does not know it.
            seen.knownEarlier = seen.deliveredAt < 0 ? seen.offeredAt : Math.min(seen.offeredAt, seen.deliveredAt);
            seen.entered = Math.max(seen.offeredAt, seen.deliveredAt);
        } else {
            seen.entered = seen.offeredAt >= 0 ? seen.offeredAt : seen.deliveredAt;
        }
    }

    /** The store forgot writes. */
    void forgot(Partition partition, SeenTask seen) {
        long known = seen.entered;
        forgetUnlessStored(partition, seen);
        if (known >= 0 && seen.entered != known) {
            // The owner may have been told of its place before the store forgot it.
            seen.knownEarlier = earlier(seen.knownEarlier, known);
        }
    }

    // ---- what the owner has in memory ----

    /** Another process is the owner now. It may still have in memory what it was given when it was the owner before. */
    void ownedBy(Partition partition, PartitionBook book, SimProcess owner) {
        book.next = 0;
        if (book.owner != null) {
            memory.computeIfPresent(
                    new Memory(book.owner, partition),
                    (of, all) -> all.stream()
                            .map(kept -> placed(book, kept))
                            .collect(Collectors.toCollection(ArrayList::new)));
        }
        enterAnew(partition, book);
        book.owner = owner;
        memory.getOrDefault(new Memory(owner, partition), List.of()).stream()
                .sorted(Comparator.comparingLong(KeptTask::place))
                .forEach(kept -> remembered(partition, book, kept));
    }

    private void enterAnew(Partition partition, PartitionBook book) {
        for (SeenTask seen : book.seen.values()) {
            seen.offeredAt = -1;
            seen.deliveredAt = -1;
            seen.enteredAtBest = -1;
            if (!hasItsPlace(state(partition), seen)) {
                seen.knownEarlier = -1;
            }
            seen.delivered = false;
            forgetUnlessStored(partition, seen);
        }
    }

    private static KeptTask placed(PartitionBook book, KeptTask kept) {
        SeenTask seen = book.seen.get(kept.position);
        long place = Long.MAX_VALUE;
        if (seen != null) {
            long[] places = kept.offered()
                    ? new long[] {seen.offeredAt}
                    : new long[] {seen.entered, seen.knownEarlier, seen.deliveredAt, seen.enteredAtBest};
            for (long at : places) {
                place = at < 0 ? place : Math.min(place, at);
            }
        }
        return new KeptTask(kept.position, kept.offset, kept.due, place);
    }

    private void remembered(Partition partition, PartitionBook book, KeptTask kept) {
        SeenTask seen = books.find(partition, kept.position);
        if (seen != null && kept.offered()) {
            seen.offeredAt = book.nextPlace();
        } else if (seen != null) {
            seen.delivered = true;
            if (kept.due) {
                seen.deliveredAt = book.nextPlace();
            } else {
                seen.enteredAtBest = book.nextPlace();
            }
        }
    }

    private void keep(SimProcess process, Partition partition, KeptTask kept) {
        memory.computeIfAbsent(new Memory(process, partition), of -> new ArrayList<>())
                .add(kept);
    }

    void forgetsLanes(SimProcess process, Partition partition) {
        PartitionBook book = books.book(partition);
        memory.remove(new Memory(process, partition));
        if (book.owner == process) {
            book.next = 0;
            enterAnew(partition, book);
        }
    }

    void left(SimProcess process, Partition partition) {
        PartitionBook book = books.book(partition);
        memory.remove(new Memory(process, partition));
        if (book.owner == process) {
            enterAnew(partition, book);
            book.owner = null;
        }
    }

    // ---- what comes ----

    void delivered(SimProcess process, Partition partition, List<SimTask> delivered) {
        PartitionBook book = books.book(partition);
        for (SimTask task : delivered) {
            Position position = Position.of(book.incarnation, task.offset);
            boolean due = task.notBefore <= SimStore.WALL + simulation.timeline.now();
            keep(process, partition, new KeptTask(position, task.offset, due && !task.unreadable, Long.MAX_VALUE));
            if (book.owner == process) {
                SeenTask seen = books.seen(partition, position);
                Oracle.check(seen.task == task, () -> task + " is taken for the task that runs as " + seen);
                delivered(book, seen, due, state(partition));
            }
            // Another process may be the owner again before it hears that it was not.
        }
    }

    private void delivered(PartitionBook book, SeenTask seen, boolean due, ModelPartition state) {
        SimTask task = seen.task;
        seen.delivered = true;
        book.next = Math.max(book.next, task.offset + 1);
        if (task.unreadable) {
            return;
        }
        if (!due || task.notBefore > 0 && books.lastLoss >= 0) {
            // Not due; or the owner may believe that the store has it, and wait for it to be offered.
            seen.enteredAtBest = book.nextPlace();
            if (due && !seen.begun && !state.holds(seen.position)) {
                // If a store offered it that forgot it, the owner may find that out and take it as it comes now.
                seen.knownEarlier = earlier(seen.knownEarlier, earlier(seen.offeredAt, seen.entered));
                seen.offeredAt = -1;
                seen.entered = seen.entered < 0 ? -1 : seen.enteredAtBest;
            }
            return;
        }
        boolean told = book.heads.contains(seen.position) || seen.token > book.epoch;
        boolean first = told && isHead(state, seen) && seen.entered >= 0;
        if (seen.deliveredAt < 0) {
            seen.deliveredAt = first ? seen.entered : book.nextPlace();
        }
        boolean known = seen.successAt >= 0
                || task.offset < state.storedCommit()
                || book.cuts > 0 && state.isSettled(task.offset)
                || state.holds(seen.position)
                || state.dead().contains(seen.position);
        if (!known) {
            book.enter(seen);
        }
    }

    /** Takes their places from tasks that the owner has left in the log: they enter when they are read again. */
    void passedOver(SimProcess process, Partition partition) {
        // Asked in each turn and seldom true: so the books are searched last.
        if (process.core.hasPassedOver(partition)) {
            memory.getOrDefault(new Memory(process, partition), new ArrayList<>())
                    .removeIf(each -> !each.offered()
                            && process.core.isPassedOver(partition, each.offset)
                            && isLeftInTheLog(process, partition, each));
        }
    }

    private boolean isLeftInTheLog(SimProcess process, Partition partition, KeptTask kept) {
        PartitionBook book = books.book(partition);
        SeenTask seen = books.find(partition, kept.position);
        if (seen != null && book.owner == process && seen.incarnation == book.incarnation) {
            seen.delivered = false;
            seen.deliveredAt = -1;
            seen.enteredAtBest = -1;
            seen.entered = hasItsPlace(state(partition), seen) ? seen.entered : -1;
        }
        return seen != null;
    }

    /** Tasks that were read again enter, unless they are left in the log once more. */
    void recalled(SimProcess process, Partition partition, List<SimTask> records) {
        delivered(
                process,
                partition,
                records.stream()
                        .filter(task -> !process.core.isPassedOver(partition, task.offset))
                        .toList());
    }

    /** The store offers tasks to a process. */
    void offered(SimProcess process, ClaimDue request, DueTasks answer) {
        Partition partition = request.partition();
        PartitionBook book = books.book(partition);
        boolean current = request.header().epoch() == book.epoch;
        for (DueTask task : answer.offered()) {
            SeenTask seen = books.seen(partition, task.position());
            if (seen.task.key != null && process.core.declinesOffers(partition, seen.task.key)) {
                continue;
            }
            boolean enters = book.owner == process && current && seen.entered < 0;
            seen.early |= enters && book.next < book.highWater;
            if (enters && state(partition).holds(task.position())) {
                seen.offeredAt = book.nextPlace();
                book.enter(seen);
            } else if (enters) {
                // Forgotten meanwhile: it has the place that the owner remembers, or will come as new.
                seen.offeredAt = book.nextPlace();
                seen.knownEarlier = seen.deliveredAt < 0 ? seen.offeredAt : seen.deliveredAt;
            }
            if (enters || book.owner != process) {
                keep(process, partition, new KeptTask(seen.position, OFFERED, true, Long.MAX_VALUE));
            }
        }
    }

    /** Takes their places from offered tasks that the owner gives back: they enter when they are offered again. */
    void declined(SimProcess process, DeclineOffers request) {
        Partition partition = request.partition();
        PartitionBook book = books.book(partition);
        List<KeptTask> kept = memory.getOrDefault(new Memory(process, partition), List.of());
        for (Declined offer : request.offers()) {
            SeenTask seen = books.find(partition, offer.position());
            kept.removeIf(each -> each.offered() && each.position.equals(offer.position()));
            if (seen != null && book.owner == process) {
                seen.offeredAt = -1;
                seen.early = false;
                seen.entered = hasItsPlace(state(partition), seen) ? seen.entered : -1;
            }
        }
    }
}
