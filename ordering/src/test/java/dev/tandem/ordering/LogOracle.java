package dev.tandem.ordering;

import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.ModelPartition;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.Acquired;
import dev.tandem.task.store.StoreAnswer.DueTask;
import dev.tandem.task.store.StoreAnswer.DueTasks;
import dev.tandem.task.store.StoreAnswer.SettledAndClaimed;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Acquire;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.ClaimDue;
import dev.tandem.task.store.StoreRequest.PresentedClaim;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.SettleAndClaim;
import dev.tandem.task.store.StoreRequest.SettleLate;
import dev.tandem.task.store.StoreRequest.TakeCustody;
import dev.tandem.task.store.StoreRequest.Verdict;
import dev.tandem.task.store.StoredClaim;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Sees everything and holds it against the guarantees. What is checked:
 *
 * <ul>
 *   <li><b>Exclusion.</b> When a handler begins, no other handler of its key runs under a lease that its process
 *       believes in; and the store has its claim, with a deadline not before the process's own.
 *   <li><b>Fencing.</b> The tokens of a key grow from start to start; none is used for two tasks.
 *   <li><b>Order.</b> When a task of a key starts for the first time, all of its key that entered their lane before it
 *       have ended (succeeded, or it is dead, at any time; a store that forgets that does not matter).
 *       A task enters when it is delivered to the owner and due and not in the store; a scheduled one when the store
 *       offers it to the owner; both at the latest when claimed or parked. With a change of owner or a rewind, what
 *       waited in memory enters anew; what the store knows to be claimed, parked, retried or awaited has its place.
 *       What is offered before all has come again that former owners had waits for that; and a delayed task has no
 *       certain place once the store forgot something and another took the partition over.
 *       Besides: in one incarnation
 *       no task without a delay starts before one of its key with a lower offset has ended.
 *   <li><b>Custody.</b> A committed offset's task has succeeded (recorded at some time), or the store holds it even
 *       if it forgets all that it may forget. Commits do not pass what was delivered, and do not fall.
 *   <li><b>Duplicates.</b> No handler begins while the store knows of a success of this position.
 *   <li><b>Ownership.</b> Nothing is started after a partition was revoked, lost or left. No more runs at once than
 *       the policy allows.
 *   <li>The store's state is sound in itself after every write; incarnations begin only when an operator made them.
 * </ul>
 */
class LogOracle {

    /** One task in one incarnation. */
    private static final class Seen {
        final Position position;
        final SimTask rec;
        final long incarnation;
        boolean begun;
        boolean ended;
        /** A handler said that it succeeded, whether that was recorded or not. */
        boolean done;
        /** Where, and under which token. */
        final Map<SimProcess, Long> doneAt = new HashMap<>();
        /** The write that recorded its success, if the store has not forgotten it. */
        long successAt = -1;

        long token;
        /** The write that recorded the claim under that token. */
        long claimedAt = -1;

        final Set<Long> forgotten = new HashSet<>();
        long entered = -1;
        /** Its place in the owner's memory since the store offered it; -1: none. */
        long offeredAt = -1;
        /** Its place in the owner's memory since the broker delivered it, due; -1: none. */
        long deliveredAt = -1;
        /** It was delivered before it was due: if the owner kept it in memory, it may have entered any time since. */
        long enteredAtBest = -1;
        /** An earlier place that the owner may know: of an offer or a claim that the store forgot, or since it was due; -1: none. */
        long offerKept = -1;
        /** The broker delivered it to the owner. */
        boolean delivered;
        /** The store offered it before the broker had delivered again all that former owners had: it waits for that. */
        boolean early;

        Seen(Position position, SimTask rec, long incarnation) {
            this.position = position;
            this.rec = rec;
            this.incarnation = incarnation;
        }

        @Override
        public String toString() {
            return position + "=" + rec;
        }
    }

    private record Running(SimProcess proc, Run run, Seen seen) {}

    private record Place(SimProcess proc, Partition partition) {}

    /**
     * @param due whether it was due when it came
     * @param offered whether the store offered it
     */
    private record ClaimsKept(Position position, boolean due, boolean offered, long place) {}

    /** All of one partition. */
    private static final class Book {
        final Map<Position, Seen> seen = new HashMap<>();
        final Map<String, List<Seen>> byKey = new HashMap<>();
        final Map<String, Long> tokens = new HashMap<>();
        /** What was claimed under each token. */
        final Map<Long, Position> claimed = new HashMap<>();
        /** Per incarnation, where it begins. */
        final Map<Long, Long> starts = new HashMap<>();
        /** Per incarnation, its log. */
        final Map<Long, List<@Nullable SimTask>> logs = new HashMap<>();

        @Nullable
        SimProcess owner;

        /** The store forgot something, and another process acquired the partition after that. */
        boolean forgotAndTaken;

        long epoch;
        /** What is below was once delivered to an owner. */
        long highWater;
        /** What is below was delivered to this owner since it has its memory. */
        long next;

        long incarnation;
        /** Positions of an incarnation that was over are new ones now. */
        boolean forgotRewind;

        long entries;
        /** What the store told the owner that its keys wait for. */
        final Set<Position> heads = new HashSet<>();

        int operated;
        final List<Seen> succeeding = new ArrayList<>();
    }

    private final Simulation world;
    private final Map<Partition, Book> books = new LinkedHashMap<>();
    private final List<SimTask> recs = new ArrayList<>();
    private final Map<Run, Running> running = new LinkedHashMap<>();
    /** Ordered to start, and not ended. */
    private final Set<Run> ordered = new HashSet<>();
    /** Ordered to start under the claim of their predecessor. */
    private final Set<Run> relayed = new HashSet<>();

    private final Set<Place> barred = new LinkedHashSet<>();
    /** What the broker delivered to a process, or the store offered, and it may keep in memory. */
    private final Map<Place, List<ClaimsKept>> memory = new HashMap<>();

    private final Set<Long> silentlyForgotten = new HashSet<>();
    private long lastLoss = Long.MIN_VALUE / 2;
    long begun;

    LogOracle(Simulation world, List<Partition> partitions) {
        this.world = world;
        partitions.forEach(partition -> books.put(partition, new Book()));
    }

    void that(boolean holds, Supplier<String> otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise.get());
        }
    }

    // ---- tasks ----

    SimTask publish(Partition partition, @Nullable String key, long offset, long notBefore, boolean unreadable) {
        SimTask rec = new SimTask(recs.size(), partition, key, offset, notBefore, unreadable);
        recs.add(rec);
        return rec;
    }

    SimTask rec(int id) {
        return recs.get(id);
    }

    List<SimTask> recs() {
        return recs;
    }

    void operated(Partition partition) {
        books.get(partition).operated++;
    }

    private Book book(Partition partition) {
        return books.get(partition);
    }

    private boolean ordered(@Nullable String key) {
        return key != null && world.plan.policy().ordered();
    }

    /** Null for a position of which nothing is known yet. */
    private @Nullable Seen find(Partition partition, Position position) {
        Book book = book(partition);
        Seen seen = book.seen.get(position);
        if (seen == null) {
            String text = position.text();
            int colon = text.indexOf(':');
            long incarnation = Long.parseLong(text, 0, colon, 10);
            List<@Nullable SimTask> log = book.logs.get(incarnation);
            int offset = Integer.parseInt(text, colon + 1, text.length(), 10);
            SimTask rec = log == null || offset >= log.size() ? null : log.get(offset);
            if (rec != null) {
                seen = new Seen(position, rec, incarnation);
                book.seen.put(position, seen);
                if (rec.key != null && !rec.unreadable) {
                    book.byKey.computeIfAbsent(rec.key, k -> new ArrayList<>()).add(seen);
                }
            }
        }
        return seen;
    }

    private Seen seen(Partition partition, Position position) {
        Seen seen = find(partition, position);
        that(seen != null, () -> position + " is no position of " + partition);
        return seen;
    }

    // ---- the store ----

    /** Before a request is applied. */
    void asked(StoreRequest request, ModelPartition state) {
        Book book = book(request.partition());
        book.succeeding.clear();
        if (request instanceof SettleLate late) {
            Settle settle = late.settle();
            StoredClaim claim = state.claim(settle.position());
            Seen seen = find(request.partition(), settle.position());
            if (settle.verdict() instanceof Verdict.Success
                    && seen != null
                    && claim != null
                    && claim.token() == settle.token()) {
                book.succeeding.add(seen);
            }
        } else if (request instanceof SettleAndClaim) {
            // Its answers tell.
            book.succeeding.clear();
        }
    }

    /** After a request was applied as the given write. */
    void applied(long write, StoreRequest request, StoreAnswer answer, ModelPartition state) {
        Partition partition = request.partition();
        Book book = book(partition);
        for (Seen seen : book.succeeding) {
            long before = seen.successAt;
            succeeded(seen, write);
            seen.successAt = book.forgotRewind ? before : write;
        }
        if (request instanceof Acquire acquire) {
            acquired(partition, book, acquire, (Acquired) answer);
        } else if (request instanceof SettleAndClaim step) {
            SettledAndClaimed stepped = (SettledAndClaimed) answer;
            for (int i = 0; i < step.settles().size(); i++) {
                Settle settle = step.settles().get(i);
                StoreAnswer.SettleResult code = stepped.settles().get(i);
                boolean recorded =
                        code instanceof StoreAnswer.SettleResult.Ok || code instanceof StoreAnswer.SettleResult.Next;
                if (recorded && settle.verdict() instanceof Verdict.Success) {
                    succeeded(seen(partition, settle.position()), write);
                }
                relayed(partition, settle.then(), state, write);
                Seen settled = book.seen.get(settle.position());
                boolean unused = settle.verdict() instanceof Verdict.Returned && settled != null && !settled.begun;
                if (unused && !isHead(state, settled)) {
                    // It was claimed and never ran, so it has the place that it is delivered at, or that of its claim.
                    long claimed = Math.max(0, settled.entered);
                    settled.offerKept = earliest(settled.offerKept, claimed);
                    settled.entered = Math.max(settled.deliveredAt, settled.offeredAt);
                }
                if (code instanceof StoreAnswer.SettleResult.Next next) {
                    claimed(partition, next.position(), settle.nextToken(), write);
                }
            }
            for (int i = 0; i < step.claims().size(); i++) {
                Claim claim = step.claims().get(i);
                if (stepped.claims().get(i) instanceof StoreAnswer.ClaimResult.Ok) {
                    claimed(partition, claim.position(), claim.token(), write);
                }
            }
        } else if (request instanceof ClaimDue) {
            for (DueTask task : ((DueTasks) answer).claimed()) {
                claimed(partition, task.position(), task.token(), write);
            }
        } else if (request instanceof TakeCustody) {
            parked(partition, book, state);
        } else if (request instanceof StoreRequest.AbandonPosition gone) {
            Seen given = find(partition, gone.position());
            if (given != null && !given.delivered && !state.holds(gone.position())) {
                // Its key no longer waits for its delivery, for which there may be no room. It enters when it comes.
                given.entered = -1;
            }
        } else if (answer instanceof StoreAnswer.LeasesExpired patrolled) {
            patrolled.waiting().forEach(blocked -> book.heads.add(blocked.head()));
        }
        Seen returned = request instanceof SettleLate late && late.settle().verdict() instanceof Verdict.Returned
                ? find(partition, late.settle().position())
                : null;
        if (returned != null && !returned.begun) {
            // A claim that was never used gives no place.
            forgetUnlessStored(partition, returned);
        }
        if (request instanceof SettleLate late
                && relayed(partition, late.settle().then(), state, write)) {
            // It heads its key now, before all that the new owner parked.
            seen(partition, late.settle().then().position()).entered = 0;
        }
        if (request instanceof SettleAndClaim || request instanceof TakeCustody || request instanceof SettleLate) {
            for (Position dead : state.dead()) {
                seen(partition, dead).ended = true;
            }
        }
        that(state.faults().isEmpty(), () -> "the store is at fault: " + state.faults());
    }

    private static void succeeded(Seen seen, long write) {
        seen.ended = true;
        seen.rec.succeeded = true;
        seen.successAt = write;
    }

    /** The claim that an outcome was to bring, if it did. */
    private boolean relayed(Partition partition, @Nullable Claim then, ModelPartition state, long write) {
        StoredClaim claim = then == null ? null : state.claim(then.position());
        boolean brought = then != null && claim != null && claim.token() == then.token();
        if (brought) {
            claimed(partition, then.position(), then.token(), write);
        }
        return brought;
    }

    private void acquired(Partition partition, Book book, Acquire acquire, Acquired acquired) {
        long incarnation = acquired.incarnation();
        that(
                incarnation <= book.operated,
                () -> "incarnation " + incarnation + " of " + partition + " began though nobody made it");
        List<@Nullable SimTask> log = world.broker.log(partition, acquire.sourceId());
        if (book.logs.put(incarnation, log) != log) {
            // The store forgot an incarnation, and the next topic gets its number.
            book.starts.remove(incarnation);
            book.seen.values().removeIf(seen -> seen.incarnation == incarnation);
            book.byKey.values().forEach(list -> list.removeIf(seen -> seen.incarnation == incarnation));
        }
        book.starts.putIfAbsent(incarnation, acquire.committed());
        book.epoch = acquired.epoch();
        book.heads.clear();
        acquired.blocked().forEach(blocked -> book.heads.add(blocked.head()));
        book.forgotRewind |= incarnation < book.incarnation;
        book.incarnation = incarnation;
        book.highWater = acquired.highWater();
        SimProcess owner = world.proc(acquire.executor());
        if (book.owner != owner) {
            book.next = 0;
            book.forgotAndTaken |= lastLoss >= 0;
            if (book.owner != null) {
                memory.computeIfPresent(
                        new Place(book.owner, partition),
                        (place, all) -> all.stream()
                                .map(kept -> placed(book, kept))
                                .collect(Collectors.toCollection(ArrayList::new)));
            }
            enterAnew(partition, book);
            book.owner = owner;
            memory.getOrDefault(new Place(owner, partition), List.of()).stream()
                    .sorted(Comparator.comparingLong(ClaimsKept::place))
                    .forEach(kept -> remembered(partition, book, kept));
        }
        // Claims that were never used may have made way for those that are presented.
        book.seen.values().stream().filter(seen -> !seen.begun).forEach(seen -> forgetUnlessStored(partition, seen));
        for (PresentedClaim presented : acquire.presented()) {
            Seen seen = seen(partition, presented.position());
            if (acquired.presentedTokens().contains(presented.token())) {
                // Whatever the store forgot: it runs, or is to, so it is first.
                seen.entered = seen.entered < 0 ? 0 : seen.entered;
                seen.offerKept = 0;
            }
        }
        for (StoreAnswer.OtherClaim otherClaims : acquired.otherClaims()) {
            // Their key waits for them, whether they have begun or not.
            Seen seen = seen(partition, otherClaims.position());
            enter(book, seen);
            seen.offerKept = 0;
        }
    }

    private void claimed(Partition partition, Position position, long token, long write) {
        Seen seen = seen(partition, position);
        Position other = book(partition).claimed.putIfAbsent(token, position);
        that(
                other == null || other.equals(position),
                () -> position + " is claimed under the token of " + other + ", " + TraceFormat.token(token));
        seen.token = token;
        seen.claimedAt = write;
        enter(book(partition), seen);
        that(seen.successAt < 0, () -> seen + " is claimed though its success is recorded");
    }

    private void parked(Partition partition, Book book, ModelPartition state) {
        for (String key : state.lanes()) {
            for (Position position : state.lane(key)) {
                enter(book, seen(partition, position));
            }
        }
    }

    /** The store forgot that their lane was opened: they wait in it as ever, before all that came since. */
    private void parkedAgain(Partition partition, Book book) {
        ModelPartition state = world.store.state(partition);
        for (String key : state.lanes()) {
            for (Position position : state.lane(key)) {
                Seen seen = find(partition, position);
                if (seen != null && seen.entered < 0) {
                    enter(book, seen);
                    seen.offerKept = 0;
                }
            }
        }
    }

    /** All writes from this one on are forgotten. */
    void forgot(long firstWrite, boolean silently) {
        lastLoss = world.timeline.now();
        if (silently) {
            // Their claims, or the renewals that their leases rest on, may be forgotten.
            ordered.forEach(run -> silentlyForgotten.add(run.token()));
        }
        books.forEach((partition, book) -> {
            for (Seen seen : book.seen.values()) {
                long known = seen.entered;
                forgetUnlessStored(partition, seen);
                if (known >= 0 && seen.entered != known) {
                    // The owner may have been told of its place before the store forgot it.
                    seen.offerKept = earliest(seen.offerKept, known);
                }
                if (seen.successAt >= firstWrite) {
                    seen.successAt = -1;
                }
                if (seen.claimedAt >= firstWrite) {
                    seen.forgotten.add(seen.token);
                    if (silently) {
                        silentlyForgotten.add(seen.token);
                    }
                }
            }
        });
        books.forEach(this::parkedAgain);
        if (silently) {
            books.values().forEach(book -> book.tokens.values().removeIf(silentlyForgotten::contains));
        }
    }

    // ---- order ----

    /** The earlier of two places; -1: none. */
    private static long earliest(long one, long other) {
        return one < 0 ? other : other < 0 ? one : Math.min(one, other);
    }

    private static void enter(Book book, Seen seen) {
        if (seen.entered < 0) {
            long known = seen.offeredAt >= 0 ? seen.offeredAt : seen.deliveredAt;
            seen.entered = known >= 0 ? known : ++book.entries;
            if (known < 0 && seen.enteredAtBest >= 0) {
                seen.offerKept = earliest(seen.offerKept, seen.enteredAtBest);
            }
        }
    }

    private void enterAnew(Partition partition, Book book) {
        for (Seen seen : book.seen.values()) {
            seen.offeredAt = -1;
            seen.deliveredAt = -1;
            seen.enteredAtBest = -1;
            if (!hasItsPlace(world.store.state(partition), seen)) {
                seen.offerKept = -1;
            }
            seen.delivered = false;
            forgetUnlessStored(partition, seen);
        }
    }

    /** What the store does not know (any more) to have a place has the one in the owner's memory, if any. */
    private void forgetUnlessStored(Partition partition, Seen seen) {
        ModelPartition state = world.store.state(partition);
        if (hasItsPlace(state, seen) || seen.entered < 0) {
            return;
        }
        if (state.holds(seen.position) && seen.begun) {
            // Redis forgot that it had begun: it is one of those that are due again.
            seen.offerKept = seen.entered;
            seen.entered = -1;
        } else if (state.holds(seen.position)) {
            // It waits to be due; only an offer can bring it.
            seen.entered = seen.offeredAt;
        } else if (!seen.delivered) {
            // Offered by a store that forgot it: it comes from the broker, if at all.
            seen.offerKept = seen.offeredAt >= 0 ? seen.offeredAt : seen.offerKept;
            seen.offeredAt = -1;
            seen.entered = -1;
        } else if (seen.offeredAt >= 0 && !seen.begun) {
            // The owner has its place and its delivery, and may find that the store does not know it.
            seen.offerKept = seen.deliveredAt < 0 ? seen.offeredAt : Math.min(seen.offeredAt, seen.deliveredAt);
            seen.entered = Math.max(seen.offeredAt, seen.deliveredAt);
        } else {
            seen.entered = seen.offeredAt >= 0 ? seen.offeredAt : seen.deliveredAt;
        }
    }

    private static ClaimsKept placed(Book book, ClaimsKept kept) {
        Seen seen = book.seen.get(kept.position);
        long place = Long.MAX_VALUE;
        if (seen != null) {
            long[] places = kept.offered
                    ? new long[] {seen.offeredAt}
                    : new long[] {seen.entered, seen.offerKept, seen.deliveredAt, seen.enteredAtBest};
            for (long at : places) {
                place = at < 0 ? place : Math.min(place, at);
            }
        }
        return new ClaimsKept(kept.position, kept.due, kept.offered, place);
    }

    /** It owns the partition again, and kept what it was given the first time. */
    private void remembered(Partition partition, Book book, ClaimsKept kept) {
        Seen seen = find(partition, kept.position);
        if (seen != null && kept.offered) {
            seen.offeredAt = ++book.entries;
        } else if (seen != null) {
            seen.delivered = true;
            if (kept.due) {
                seen.deliveredAt = ++book.entries;
            } else {
                seen.enteredAtBest = ++book.entries;
            }
        }
    }

    private static boolean hasItsPlace(ModelPartition state, Seen seen) {
        return state.claim(seen.position) != null
                || state.state(seen.position) == TaskState.PARKED
                || isHead(state, seen);
    }

    private static boolean isHead(ModelPartition state, Seen seen) {
        StoreAnswer.BlockedKey blocked = seen.rec.key == null ? null : state.blocked(seen.rec.key);
        return blocked != null && blocked.head().equals(seen.position);
    }

    /** The owner's memory of what waited is gone. */
    void forgetsLanes(SimProcess proc, Partition partition) {
        Book book = book(partition);
        memory.remove(new Place(proc, partition));
        if (book.owner == proc) {
            book.next = 0;
            enterAnew(partition, book);
        }
    }

    void left(SimProcess proc, Partition partition) {
        Book book = book(partition);
        memory.remove(new Place(proc, partition));
        if (book.owner == proc) {
            enterAnew(partition, book);
            book.owner = null;
        }
    }

    void delivered(SimProcess proc, Partition partition, List<SimTask> records) {
        Book book = book(partition);
        ModelPartition state = world.store.state(partition);
        for (SimTask rec : records) {
            Position position = Position.of(book.incarnation, rec.offset);
            boolean due = rec.notBefore <= SimStore.WALL + world.timeline.now();
            memory.computeIfAbsent(new Place(proc, partition), p -> new ArrayList<>())
                    .add(new ClaimsKept(position, due && !rec.unreadable, false, Long.MAX_VALUE));
            if (book.owner != proc) {
                // It may be the owner again before it hears that it was not.
                continue;
            }
            Seen seen = seen(partition, position);
            seen.delivered = true;
            book.next = Math.max(book.next, rec.offset + 1);
            if (rec.unreadable) {
                continue;
            } else if (!due || rec.notBefore > 0 && lastLoss >= 0) {
                // Not due; or the owner may believe that the store has it, and wait for it to be offered.
                seen.enteredAtBest = ++book.entries;
                if (due && !seen.begun && !state.holds(seen.position)) {
                    // If a store offered it that forgot it, the owner may find that out and take it as it comes now.
                    seen.offerKept = earliest(seen.offerKept, earliest(seen.offeredAt, seen.entered));
                    seen.offeredAt = -1;
                    seen.entered = seen.entered < 0 ? -1 : seen.enteredAtBest;
                }
            } else {
                boolean told = book.heads.contains(seen.position) || seen.token > book.epoch;
                boolean first = told && isHead(state, seen) && seen.entered >= 0;
                if (seen.deliveredAt < 0) {
                    seen.deliveredAt = first ? seen.entered : ++book.entries;
                }
                boolean known = seen.successAt >= 0
                        || rec.offset < state.storedCommit()
                        || state.holds(seen.position)
                        || state.dead().contains(seen.position);
                if (!known) {
                    enter(book, seen);
                }
            }
        }
    }

    /** An answer reaches the process that asked. */
    void heard(SimProcess proc, StoreRequest request, StoreAnswer answer) {
        Book book = book(request.partition());
        if (!(answer instanceof DueTasks tasks)) {
            return;
        }
        boolean current = ((ClaimDue) request).header().epoch() == book.epoch;
        for (DueTask task : tasks.offered()) {
            Seen seen = seen(request.partition(), task.position());
            boolean enters = book.owner == proc && current && seen.entered < 0;
            seen.early |= enters && book.next < book.highWater;
            if (enters && world.store.state(request.partition()).holds(task.position())) {
                seen.offeredAt = ++book.entries;
                enter(book, seen);
            } else if (enters) {
                // Forgotten meanwhile: it has the place that the owner remembers, or will come as new.
                seen.offeredAt = ++book.entries;
                seen.offerKept = seen.deliveredAt < 0 ? seen.offeredAt : seen.deliveredAt;
            }
            if (enters || book.owner != proc) {
                memory.computeIfAbsent(new Place(proc, request.partition()), p -> new ArrayList<>())
                        .add(new ClaimsKept(seen.position, true, true, Long.MAX_VALUE));
            }
        }
    }

    private static boolean lives(ModelPartition state, Seen seen) {
        return seen.incarnation == state.incarnation()
                || state.holds(seen.position)
                || state.claim(seen.position) != null;
    }

    /** A store that forgot an incarnation has its positions again, of which some ended as others of the same tasks. */
    private static boolean isOver(Book book, Seen seen) {
        return seen.ended || seen.done || book.forgotRewind && seen.rec.succeeded;
    }

    private void inOrder(Partition partition, Seen seen, boolean entersElsewhere) {
        Book book = book(partition);
        if (!entersElsewhere) {
            enter(book, seen);
        }
        ModelPartition state = world.store.state(partition);
        long start = book.starts.getOrDefault(seen.incarnation, 0L);
        long entered = seen.offerKept < 0 ? seen.entered : Math.min(seen.entered, seen.offerKept);
        for (Seen other : book.byKey.get(seen.rec.key)) {
            // What an operator took out of the broker's hands, and the store never had, comes again as another or
            // never.
            boolean delayed = seen.rec.notBefore + other.rec.notBefore > 0;
            boolean certain = seen.early == other.early && !(delayed && book.forgotAndTaken);
            boolean waited = !entersElsewhere && other != seen && other.entered >= 0 && certain;
            if (waited && !isOver(book, other) && lives(state, other)) {
                that(
                        other.entered >= entered,
                        () -> seen + " starts before " + other + " has ended, which entered first");
            }
        }
        if (lastLoss < 0) {
            for (Seen other : book.byKey.get(seen.rec.key)) {
                boolean open = other != seen && other.begun && !isOver(book, other) && !other.rec.excused;
                that(
                        !open || !lives(state, other),
                        () -> seen + " starts before " + other + " has ended, which had begun");
            }
        }
        if (seen.rec.notBefore == 0) {
            List<@Nullable SimTask> log = book.logs.get(seen.incarnation);
            for (long offset = Math.max(0, start); offset < seen.rec.offset; offset++) {
                SimTask rec = log.get((int) offset);
                if (rec != null && seen.rec.key.equals(rec.key) && !rec.unreadable && rec.notBefore == 0) {
                    Seen earlier = seen(partition, Position.of(seen.incarnation, offset));
                    that(
                            isOver(book, earlier) || rec.excused || !lives(state, earlier),
                            () -> seen + " starts before " + earlier + " has ended");
                }
            }
        }
    }

    // ---- runs ----

    void mayStart(SimProcess proc, Partition partition) {
        barred.remove(new Place(proc, partition));
    }

    void noStarts(SimProcess proc, Partition partition) {
        barred.add(new Place(proc, partition));
    }

    /** A core orders a start. */
    void starts(SimProcess proc, Run run) {
        that(
                !barred.contains(new Place(proc, run.partition())),
                () -> proc + " starts " + run + " though it is to give up or has lost its partition");
        that(
                proc.unfinished() < world.plan.policy().concurrency(),
                () -> proc + " starts " + run + " though " + proc.unfinished() + " are running");
        ordered.add(run);
        StoredClaim claim = world.store.state(run.partition()).claim(run.position());
        if (claim == null || claim.token() != run.token()) {
            relayed.add(run);
        }
    }

    /** A handler begins. */
    void begins(SimProcess proc, Run run) {
        begun++;
        long now = world.timeline.now();
        Partition partition = run.partition();
        Seen seen = seen(partition, run.position());
        that(
                seen.rec.id == SimTask.idOf(run.task()),
                () -> "the task at " + seen + " is said to be #" + SimTask.idOf(run.task()));
        that(!seen.rec.unreadable, () -> seen + " can't be read, but is run");
        that(seen.rec.notBefore <= SimStore.WALL + now, () -> seen + " begins before it is due");
        long lease = proc.worldTime(run.leaseUntil());
        if (!seen.forgotten.contains(run.token()) && !silentlyForgotten.contains(run.token())) {
            underClaim(partition, proc, seen, run, lease);
        }
        that(
                seen.successAt < 0 || silentlyForgotten.contains(run.token()),
                () -> seen + " begins though its success is recorded");
        if (ordered(seen.rec.key)) {
            String key = seen.rec.key;
            for (Running other : running.values()) {
                boolean believes = other.proc.worldTime(other.run.leaseUntil()) >= now;
                boolean excused =
                        silentlyForgotten.contains(other.run.token()) || silentlyForgotten.contains(run.token());
                if (key.equals(other.seen.rec.key) && other.run.partition().equals(partition) && believes && !excused) {
                    throw new AssertionError(seen + " begins at " + proc + " while " + other.seen + " runs at "
                            + other.proc + " until " + other.proc.worldTime(other.run.leaseUntil()));
                }
            }
            Book book = book(partition);
            long last = book.tokens.getOrDefault(key, 0L);
            that(
                    run.token() > last || silentlyForgotten.contains(run.token()),
                    () -> seen + " begins with token " + TraceFormat.token(run.token()) + " after "
                            + TraceFormat.token(last));
            book.tokens.merge(key, run.token(), Math::max);
            if (!seen.begun && !seen.forgotten.contains(run.token())) {
                // A former owner's next entered its lane when it was the owner; the new one's entered theirs since.
                inOrder(partition, seen, relayed.contains(run) && book.owner != proc);
            }
        }
        seen.begun = true;
        running.put(run, new Running(proc, run, seen));
    }

    /** Its own claim stands; or that of the task of its key which ended here before it, and passes on to it. */
    private void underClaim(Partition partition, SimProcess proc, Seen seen, Run run, long lease) {
        ModelPartition state = world.store.state(partition);
        StoredClaim own = state.claim(seen.position);
        StoredClaim claim = own != null && own.token() == run.token() ? own : null;
        if (claim == null && ordered(seen.rec.key)) {
            for (Seen other : book(partition).byKey.get(seen.rec.key)) {
                Long done = other.doneAt.get(proc);
                boolean before = done != null && done < run.token();
                if (before && other.forgotten.contains(done)) {
                    if (silentlyForgotten.contains(done)) {
                        silentlyForgotten.add(run.token());
                    }
                    return;
                }
                StoredClaim its = before ? state.claim(other.position) : null;
                claim = its != null && its.token() == done ? its : claim;
            }
        }
        StoredClaim under = claim;
        that(
                under != null && under.executor().equals(proc.id),
                () -> seen + " begins at " + proc + " with token " + TraceFormat.token(run.token())
                        + " under the claim " + own);
        that(
                under.deadline() - SimStore.WALL >= lease
                        || world.timeline.now() - lastLoss
                                <= world.plan.settings().leaseMillis(),
                () -> seen + " has a lease until " + lease + " but its claim ends "
                        + (under.deadline() - SimStore.WALL));
    }

    void ends(SimProcess proc, Run run, Outcome outcome) {
        Running ended = running.remove(run);
        relayed.remove(run);
        ordered.remove(run);
        if (ended != null && outcome instanceof Outcome.Succeeded) {
            ended.seen.done = true;
            ended.seen.doneAt.merge(proc, run.token(), Math::max);
        }
    }

    void died(SimProcess proc) {
        running.values().removeIf(r -> r.proc == proc);
    }

    // ---- commits ----

    /** A core orders a commit. */
    void commits(SimProcess proc, Partition partition, long upTo, long position) {
        that(upTo <= position, () -> proc + " commits " + upTo + " but was given only up to " + position);
        ModelPartition sure = world.store.sure(partition);
        List<@Nullable SimTask> log = world.broker.log(partition);
        long incarnation = world.store.state(partition).incarnation();
        for (long offset = Math.max(0, world.broker.committed(partition)); offset < upTo; offset++) {
            SimTask rec = log.get((int) offset);
            if (rec != null && !rec.succeeded && !inCustody(partition, sure, rec)) {
                throw new AssertionError(proc + " commits " + partition + " up to " + upTo + ", but " + rec + " at "
                        + offset + " has not succeeded and is not sure to be held; incarnation " + incarnation
                        + ", surely held " + sure.inStore() + ", dead " + sure.dead());
            }
        }
    }

    private boolean inCustody(Partition partition, ModelPartition state, SimTask rec) {
        for (Map.Entry<Long, List<@Nullable SimTask>> entry :
                book(partition).logs.entrySet()) {
            List<@Nullable SimTask> log = entry.getValue();
            if (rec.offset < log.size() && log.get((int) rec.offset) == rec) {
                Position position = Position.of(entry.getKey(), rec.offset);
                if (state.holds(position) || state.dead().contains(position)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The broker took a commit. */
    void committed(Partition partition, long before, long upTo) {
        that(upTo >= before, () -> "the commit of " + partition + " falls from " + before + " to " + upTo);
    }

    void turned(SimProcess proc) {
        that(
                proc.core.running() >= proc.unfinished(),
                () -> proc + " says that " + proc.core.running() + " run, but " + proc.unfinished() + " do");
    }

    // ---- the end ----

    /** What is neither ended nor held. */
    List<SimTask> lost() {
        List<SimTask> lost = new ArrayList<>();
        for (SimTask rec : recs) {
            ModelPartition state = world.store.state(rec.partition);
            if (!rec.succeeded && !rec.excused && !inCustody(rec.partition, state, rec)) {
                lost.add(rec);
            }
        }
        return lost;
    }

    /** Held, but behind no halted key: it should have ended. */
    List<Position> unfinished() {
        List<Position> unfinished = new ArrayList<>();
        books.forEach((partition, book) -> {
            ModelPartition state = world.store.state(partition);
            for (Position position : state.inStore()) {
                String key = seen(partition, position).rec.key;
                StoreAnswer.BlockedKey blocked = ordered(key) ? state.blocked(key) : null;
                if (blocked == null || blocked.reason() != StoreAnswer.BlockReason.HALTED) {
                    unfinished.add(position);
                }
            }
        });
        return unfinished;
    }

    static int idOf(String queue, byte[] envelope) {
        return SimTask.idOf(Envelope.decode(queue, envelope).task());
    }
}
