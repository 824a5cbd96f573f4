package dev.tandem.ordering;

import dev.tandem.ordering.Entry.Mark;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Delivery;
import dev.tandem.task.Envelope;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandCode;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One partition in one process: who owns it, what is in memory, what is on its way to the store and to the broker. */
final class PartitionCore {

    private enum Phase {
        /** Ours by the broker; to be confirmed where needed, then acquired, when the store can be reached. */
        WAITING,
        /** The broker is being asked whether it is still ours. */
        CONFIRMING,
        ACQUIRING,
        OWNED,
        /** Being given up: what is answered is flushed, then the lease is released. */
        LEAVING,
        /** Not ours. Runs that it started go on under their claims. */
        LEFT
    }

    private static final long NEVER = Long.MAX_VALUE;
    private static final int RENEW_BATCH = 500;
    /** While a step is unanswered, a further one is worth its round trip only from this size on. */
    private static final int MIN_PIPELINED = 32;

    private static final int HANDS_IN_FLIGHT = 8;
    private static final int MAX_REQUEST_BYTES = 1 << 20;
    private static final int MAX_OFFERED = 1_000;
    private static final int DUE_AT_ONCE = 64;
    private static final long MIRROR_MILLIS = 1_000;
    /** So many outcomes of a key may wait for their answer while its next tasks run: what may run again after a crash. */
    private static final int MAX_AHEAD = 32;
    /** So many tasks of a key run in a row while other keys wait for a slot. */
    private static final int RELAYS_BESIDE_OTHERS = 16;

    private static final long SAMPLE_MILLIS = 1_000;
    /** With all that a store keeps of them, samples must stay small beside what it is there for. */
    private static final int MAX_SAMPLE_BYTES = 4_096;

    private final Partition partition;
    private final Shared shared;
    private final CoreSettings settings;
    private final Outbox outbox;
    private final Tracker tracker;
    private final Proofs proofs;
    private final Late late;
    private final Lanes lanes = new Lanes();
    private final Redeliveries redeliveries;
    private final Pages pages;

    /** What this process runs of this partition, also after the ownership that started it. */
    private final Map<Position, Active> active = new HashMap<>();
    /** Outcomes to be settled. */
    private final ArrayDeque<Item.Outcome> outcomes = new ArrayDeque<>();
    /** Outcomes, not yet recorded, of tasks that the broker has not delivered in this ownership; it still may. */
    private final Map<Position, Item.Outcome> undelivered = new HashMap<>();
    /** Offsets that may still be delivered in this ownership, but were settled in it; with the settling request. */
    private final Map<Long, Long> settledAhead = new HashMap<>();
    /** Hand-overs but parks, which lanes keep. */
    private final ArrayDeque<Item.Handover> handovers = new ArrayDeque<>();

    private final ArrayDeque<Gone> gone = new ArrayDeque<>();
    /** Offsets that blocked keys wait for, with their keys. */
    private final TreeMap<Long, String> awaited = new TreeMap<>();

    private Phase phase = Phase.LEFT;
    private Source.Facts facts = Source.Facts.NONE;
    private boolean storeUp;
    private boolean confirmFirst;
    private long factsAt;
    private boolean opened;
    private boolean openWanted;
    private boolean rewindWanted;
    private boolean leftWanted;
    private boolean paused;
    private boolean releaseSent;
    /** It leaves when what was handed over is durable. */
    private boolean settling;

    private long retryAt;

    private StoreRequest.@Nullable Acquire acquiring;
    private long acquireSentAt;
    private long acquiredWith;
    private String runId = "";
    /** Nobody else can have owned it since our last acquire, whatever the store remembers. */
    private boolean continues;

    private long incarnation = -1;
    private long highest;
    private long mirror = -1;
    private long token;
    private long order;
    /** What had come in before the last answered request was sent came in while this process was the owner. */
    private long ownedUpTo;

    private final Map<Position, StoreAnswer.Foreign> foreign = new HashMap<>();
    /** Keys that a former owner had a claim of since memory began: it may have gone on with their next, and settle them. */
    private final Set<String> foreignKeys = new HashSet<>();
    /** Up to here former owners of a log may have begun tasks by relays that the store was not told of. */
    private long relayedUpTo;
    /** Keyed tasks that the store offered before all that may have begun was delivered again. */
    private final List<Entry> behindRelays = new ArrayList<>();
    /** They wait no longer than this: the broker may have lost what it is to deliver. */
    private long behindUntil;

    /** Claimed last and not begun. If the store forgot that it has them, they go before all of their key. */
    private final Set<Position> first = new HashSet<>();

    /** Claimed last and not begun, and delivered: it has its place in its lane, whether the store forgot that it has it or not. */
    private final Set<Position> back = new HashSet<>();

    private final Map<Long, StoreAnswer.Chunk> chunks = new HashMap<>();
    /** The pages below it are not needed any more; -1: none is to be dropped. */
    private long droppable = -1;

    private long nextSequence = -1;
    private long committing = -1;
    private long committed = -1;
    private long mirrored = -1;
    private long commitAt;
    private long mirrorAt;

    private long renewAt;
    private long probedAt;
    private long adoptAt;
    private long dueAt = NEVER;
    private boolean dueInFlight;
    private long lapseAt = NEVER;
    private boolean patrolInFlight;
    /** Before this nothing is claimed: the store may have forgotten what others run. */
    private long quietUntil;

    private long sampleAt = Long.MIN_VALUE;
    private long lastAnswerAt;
    private long extendMillis;
    private long fullRetryAt = NEVER;
    /** When hand-overs go on: the store had no room for the last ones. */
    private long roomAt;

    private long keepAt;
    private StoreRequest.@Nullable Keep keeping;
    private long keepSentAt;

    PartitionCore(Partition partition, Shared shared, String writer) {
        this.partition = partition;
        this.shared = shared;
        this.settings = shared.settings;
        this.outbox = new Outbox(partition, writer);
        this.tracker = Tracker.of(shared.kind, shared.keeps(Rule.COMMIT_ONLY_DURABLE));
        this.proofs = new Proofs(settings.horizonMillis());
        this.late = new Late(partition);
        this.redeliveries = new Redeliveries(shared);
        this.pages = new Pages(settings.leaseMillis(), 3 * settings.leaseMillis(), shared);
    }

    // ---- the source ----

    void assigned(Source.Facts now) {
        if (phase != Phase.LEFT) {
            leave();
            leftWanted = false;
        }
        facts = now;
        factsAt = shared.now;
        phase = Phase.WAITING;
        confirmFirst = false;
        continues = false;
        opened = false;
        openWanted = false;
        rewindWanted = false;
        paused = false;
        releaseSent = false;
        settling = false;
        retryAt = 0;
        committing = -1;
        committed = now.committed();
        mirrored = -1;
        nextSequence = -1;
        lastAnswerAt = shared.now;
    }

    void delivered(Collection<Delivery> deliveries, long next) {
        if (!opened || rewindWanted || phase == Phase.LEAVING || phase == Phase.LEFT) {
            return;
        }
        for (Delivery delivery : deliveries) {
            Entry entry = entry(delivery);
            tracker.delivered(entry);
            if (phase == Phase.OWNED) {
                judge(entry);
            } else {
                // The store's view is being asked for again; this waits for it.
                tracker.mark(entry, Mark.JUDGED, NEVER);
            }
        }
        nextSequence = next;
        settledAhead.keySet().removeIf(offset -> offset < next);
        tracker.position(next);
        giveUpAwaited();
        offerBehindRelays();
    }

    private Entry entry(Delivery delivery) {
        long arrival = ++order;
        boolean log = tracker.isLog();
        Redeliveries.Match match = log ? null : redeliveries.match(delivery);
        Position position = match != null
                ? match.position()
                : log
                        ? Position.of(incarnation, delivery.sequence())
                        : Redeliveries.position(delivery.identity(), outbox.writer(), arrival);
        String key = delivery.unreadable() == null ? keyOf(delivery.task()) : null;
        Entry entry = new Entry(
                position,
                key,
                delivery.sequence(),
                log ? delivery.sequence() : -1,
                arrival,
                delivery.task(),
                delivery.unreadable(),
                0,
                false);
        if (!log) {
            entry.redelivered = delivery.redelivered();
            entry.matched = match != null;
            entry.adoptFirst = match != null && match.adopt();
        }
        return entry;
    }

    private @Nullable String keyOf(Task task) {
        return shared.policy.ordered() ? task.key() : null;
    }

    /** Decides where a delivered position goes. */
    private void judge(Entry entry) {
        Recalls recalls = shared.recalls;
        if (recalls != null && isToRecall(entry)) {
            recalls.hold(this, entry);
            return;
        }
        highest = Math.max(highest, entry.bit + 1);
        @Nullable String waiting = awaited.remove(entry.bit);
        Lane lane = lanes.find(entry.key);
        if (lane != null && entry.position.equals(lane.head) || first.contains(entry.position)) {
            // All of its key wait for it, and still will if the store forgets that.
            entry.order = 0;
        }
        Active running = active.get(entry.position);
        Item.Outcome ending = undelivered.get(entry.position);
        Long settledBy = settledAhead.get(entry.bit);
        Item planned = outbox.resend().get(entry.position);
        boolean settled = tracker.isLog() ? isSettled(entry.bit) : redeliveries.isRemembered(entry);
        entry.held = settled && running != null && running.entry == entry;
        if (settled && waiting != null && running == null && ending == null && planned == null) {
            // It came, and has ended long since; the store forgot that.
            gone.addLast(new Gone(entry.position, waiting));
        }
        if (settled) {
            pages.keepFor(entry, shared.now);
            tracker.mark(entry, Mark.JUDGED, acquiredWith);
            if (back.contains(entry.position)) {
                waitInPlace(entry);
            }
        } else if (settledBy != null) {
            settledAhead.remove(entry.bit);
            tracker.mark(entry, Mark.JUDGED, settledBy);
        } else if (running != null && running.owned && entry.matched && !Redeliveries.isNamed(entry.position)) {
            // Another owner may have had its message meanwhile, and then this is a twin. The store knows.
            entry.maybeTwin = true;
            handOver(entry, new Move.Adopt());
        } else if (running != null && running.owned) {
            attach(running, entry);
        } else if (ending != null && !isOwed(ending)) {
            undelivered.remove(entry.position);
            attach(ending, entry);
        } else if (ending != null || planned instanceof Item.Outcome outcome && isOwed(outcome)) {
            // What is recorded of it comes first; then it is taken out of what is owed.
            undelivered.remove(entry.position);
            handOver(entry, new Move.Adopt());
        } else if (planned != null) {
            outbox.resend().replace(entry.position, planned.inPlaceOf(new Item.Handover(entry, new Move.Adopt())));
        } else if (foreign.containsKey(entry.position) || entry.adoptFirst) {
            handOver(entry, new Move.Adopt());
        } else if (entry.unreadable != null) {
            handOver(entry, new Move.Bury());
        } else if (entry.requireTask().notBefore() > shared.wall) {
            handOver(entry, new Move.Schedule(entry.requireTask().notBefore()));
        } else {
            // If the store offered it and then forgot it, this has its place.
            behindRelays.removeIf(offer -> offer.position.equals(entry.position));
            lanes.enterInPlace(entry);
        }
    }

    /** It was delivered before, to any partition of an unordered queue. */
    private static boolean isToRecall(Entry entry) {
        boolean nothingToKnowItBy = Redeliveries.identityOf(entry.position).isEmpty();
        return entry.redelivered && !entry.recalled && !nothingToKnowItBy;
    }

    /** All partitions were asked, and none knows it. */
    void notRecalled(Entry entry) {
        entry.recalled = true;
        if (phase == Phase.OWNED) {
            judge(entry);
        } else {
            tracker.mark(entry, Mark.JUDGED, NEVER);
        }
    }

    /** The partition that had it answers for it, and does so durably. */
    void settledElsewhere(Entry entry) {
        tracker.mark(entry, Mark.DONE, 0);
    }

    private void handOver(Entry entry, Move move) {
        handOver(new Item.Handover(entry, move));
    }

    private void handOver(Item.Handover handover) {
        Entry entry = handover.entry();
        handovers.addLast(handover);
        if (handover.holdsLane() && entry.key != null) {
            lanes.lane(entry.key).handing++;
        }
    }

    private boolean isSettled(long bit) {
        if (bit < mirror || bit < 0 || chunks.isEmpty()) {
            return bit >= 0 && bit < mirror;
        }
        StoreAnswer.Chunk chunk = chunks.get(bit / StoreAnswer.Chunk.BITS);
        return chunk != null && chunk.has(bit);
    }

    /** It was recorded, or may have been, as one whose message is still to come. */
    private static boolean isOwed(Item.Outcome ending) {
        return ending.sentIn > 0 && ending.entry().owes && !(ending.verdict() instanceof Verdict.Returned);
    }

    /** A task that this process runs was delivered again. */
    private void attach(Active running, Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == running.entry) {
            lane.busy = entry;
        }
        running.entry = entry;
        running.owes = false;
    }

    private void attach(Item.Outcome ending, Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == ending.entry()) {
            lane.busy = entry;
        }
        ending.attach(entry);
    }

    void caughtUp() {
        redeliveries.caughtUp();
        giveUpAwaited();
        offerBehindRelays();
    }

    void committed(long upTo) {
        committing = -1;
        committed = Math.max(committed, upTo);
    }

    void commitFailed() {
        committing = -1;
        commitAt = shared.now + settings.retryMillis();
    }

    void confirmed(Source.Facts now) {
        if (phase == Phase.CONFIRMING) {
            facts = now;
            factsAt = shared.now;
            confirmFirst = false;
            phase = Phase.WAITING;
            retryAt = 0;
        } else if (phase == Phase.OWNED) {
            droppable = Math.max(droppable, pages.confirmed());
        }
    }

    void revoked() {
        if (phase == Phase.OWNED) {
            phase = Phase.LEAVING;
            dropStarts();
        } else if (phase != Phase.LEAVING) {
            leave();
        }
    }

    void lost() {
        leave();
    }

    // ---- the store ----

    void storeUp() {
        storeUp = true;
    }

    void storeDown() {
        storeUp = false;
        late.again();
        keeping = null;
        switch (phase) {
            case OWNED, ACQUIRING, LEAVING -> recover();
            case CONFIRMING -> {
                phase = Phase.WAITING;
                confirmFirst = true;
            }
            case WAITING, LEFT -> {}
        }
    }

    void woken() {
        if (phase == Phase.OWNED) {
            dueAt = Math.min(dueAt, shared.now);
            lanes.retryFull();
        }
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        if (request instanceof StoreRequest.Late done) {
            late.answered(done, phase == Phase.LEFT || phase == Phase.WAITING || phase == Phase.CONFIRMING);
        } else if (request instanceof StoreRequest.Keep keep) {
            if (keep == keeping && answer instanceof StoreAnswer.Kept kept) {
                keeping = null;
                kept(keep.positions(), kept.lost());
            }
        } else if (request instanceof StoreRequest.Acquire asked) {
            if (asked == acquiring) {
                acquiring = null;
                acquireAnswered(answer);
            }
        } else if (request instanceof StoreRequest.Numbered numbered) {
            numberedAnswered(numbered, answer);
        }
    }

    private void numberedAnswered(StoreRequest.Numbered request, StoreAnswer answer) {
        if (phase != Phase.OWNED && phase != Phase.LEAVING || !outbox.isCurrent(request.line())) {
            return;
        }
        if (answer instanceof StoreAnswer.Fenced) {
            fenced();
            return;
        }
        if (answer instanceof StoreAnswer.Gap || answer instanceof StoreAnswer.Applied) {
            if (shared.keeps(Rule.HEED_LOST)) {
                recover();
                return;
            }
            Outbox.Sent ignored = outbox.answered(request);
            if (ignored != null) {
                takeBack(ignored);
                returnedBy(ignored).forEach(this::backInPlace);
            }
            return;
        }
        Outbox.Sent sent = outbox.answered(request);
        if (sent == null) {
            return;
        }
        noteAnswer();
        if (request instanceof StoreRequest.Step || request instanceof StoreRequest.Hand) {
            // The store has noted the high-water mark of then.
            ownedUpTo = sent.order();
        }
        if (answer instanceof StoreAnswer.Stepped stepped) {
            stepped(sent, stepped);
        } else if (answer instanceof StoreAnswer.Handed handed) {
            handed(sent, handed);
        } else if (answer instanceof StoreAnswer.DueTasks due) {
            due(sent, due);
        } else if (answer instanceof StoreAnswer.Renewed renewed) {
            renewed(sent, renewed);
        } else if (answer instanceof StoreAnswer.Patrolled patrolled) {
            patrolled(patrolled);
        } else if (answer instanceof StoreAnswer.Ok ok) {
            ok(sent, ok);
        } else {
            throw new IllegalStateException("A " + request.getClass().getSimpleName() + " was answered by " + answer);
        }
    }

    /** Half a lease without an answer: this process was deaf, so others' leases may only seem to have run out. */
    private void noteAnswer() {
        if (isDeaf()) {
            extendMillis = settings.leaseMillis();
        }
        lastAnswerAt = shared.now;
    }

    private boolean isDeaf() {
        return shared.now - lastAnswerAt > settings.leaseMillis() / 2;
    }

    // ---- ownership ----

    private void acquire(Commands out) {
        Map<Position, StoreRequest.Presented> presented = new HashMap<>();
        for (Item item : outbox.resend().values()) {
            present(presented, item);
        }
        dropReturned();
        outcomes.forEach(item -> present(presented, item));
        for (Active a : active.values()) {
            presented.put(
                    a.run.position(),
                    new StoreRequest.Presented(
                            a.run.position(), a.run.token(), a.key, a.run.attempt(), a.run.sequence(), 0, a.after));
        }
        outbox.resend().values().forEach(item -> relayOnlyTo(presented, item));
        outcomes.forEach(item -> relayOnlyTo(presented, item));
        acquiring = new StoreRequest.Acquire(
                outbox.nextAcquire(continues),
                shared.executor,
                settings.leaseMillis(),
                facts.generation(),
                facts.sourceId(),
                Math.max(facts.committed(), committed),
                presented.values().stream()
                        .sorted(Comparator.comparingLong(StoreRequest.Presented::token))
                        .toList());
        acquireSentAt = shared.now;
        late.acquiring();
        phase = Phase.ACQUIRING;
        out.send(acquiring);
    }

    /** Claims that never became runs are not presented, so it will be as if they never were. */
    private void dropReturned() {
        for (Item.Outcome outcome : List.copyOf(outcomes)) {
            if (outcome.verdict() instanceof Verdict.Returned) {
                outcomes.remove(outcome);
                backInPlace(outcome);
            }
        }
    }

    /** As if it had never been claimed: it has its place in memory, or in the store. */
    private void backInPlace(Item.Outcome returned) {
        undelivered.remove(returned.position());
        Item planned = outbox.resend().get(returned.position());
        if (planned instanceof Item.Handover handover && isAdoption(planned)) {
            // Nothing runs there to be adopted.
            Entry entry = handover.entry();
            if (tracker.isLog() && entry.tracked()) {
                // The broker has it until the store durably does. If it still does, its bit says so.
                outbox.resend().remove(returned.position());
                back.add(entry.position);
                entry.held = false;
                tracker.mark(entry, Mark.PENDING, 0);
                requeue(entry);
            } else {
                outbox.resend().put(returned.position(), new Item.Handover(entry, new Move.Schedule(0)));
                waitInPlace(entry);
            }
        } else if (!comesBackByItself(returned.entry())) {
            requeue(returned.entry());
        } else {
            first.add(returned.position());
            if (returned.entry().tracked()) {
                tracker.mark(returned.entry(), Mark.JUDGED, NEVER);
            }
        }
    }

    /** A task that the store will have waits in memory for its turn, where it was before it was claimed. */
    private void waitInPlace(Entry entry) {
        if (entry.key == null) {
            return;
        }
        requeue(new Entry(
                entry.position,
                entry.key,
                -1,
                entry.bit,
                entry.order,
                entry.requireTask(),
                null,
                entry.attempts,
                true));
    }

    private static void present(Map<Position, StoreRequest.Presented> presented, Item item) {
        if (item instanceof Item.Outcome outcome) {
            Entry entry = outcome.entry();
            presented.put(
                    entry.position,
                    new StoreRequest.Presented(
                            entry.position,
                            outcome.token(),
                            entry.key,
                            outcome.attempt(),
                            entry.bit,
                            outcome.sentIn,
                            outcome.after));
        }
    }

    /** A claim that never became a run is not brought by its predecessor's outcome either. */
    private static void relayOnlyTo(Map<Position, StoreRequest.Presented> presented, Item item) {
        if (item instanceof Item.Outcome outcome && outcome.then != null) {
            StoreRequest.Presented next = presented.get(outcome.then.position());
            if (next == null || next.token() != outcome.then.token()) {
                outcome.then = null;
            }
        }
    }

    private void acquireAnswered(StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired acquired) {
            acquired(acquired);
            return;
        }
        if (opened && !tracker.isLog()) {
            // Its new owner needs the messages that our channel has.
            leave();
            return;
        }
        phase = Phase.WAITING;
        confirmFirst = true;
        long wait = answer instanceof StoreAnswer.Refused refused ? refused.remainingMillis() : NEVER;
        retryAt = shared.now + Math.max(1, Math.min(wait, settings.retryMillis()));
    }

    private void acquired(StoreAnswer.Acquired a) {
        boolean log = tracker.isLog();
        if (log && incarnation != a.incarnation() && tracker.size() > 0) {
            // What is in memory is of another incarnation of the topic.
            dropMemory();
            rewindWanted = opened;
        }
        boolean restarted = !runId.isEmpty() && !runId.equals(a.runId());
        phase = Phase.OWNED;
        outbox.begin(a.epoch());
        acquiredWith = outbox.lastNumber();
        proofs.clear();
        proofs.answered(acquiredWith, shared.now);
        runId = a.runId();
        continues = true;
        incarnation = log ? a.incarnation() : StoreRequest.QUEUE;
        highest = Math.max(highest, a.highWater());
        relayedUpTo = a.highWater();
        behindUntil = shared.now + settings.leaseMillis();
        ownedUpTo = 0;
        mirror = a.mirror();
        token = a.epoch();
        foreign.clear();
        for (StoreAnswer.Foreign f : a.foreign()) {
            foreign.put(f.position(), f);
            if (f.key() != null) {
                foreignKeys.add(f.key());
            }
        }
        chunks.clear();
        a.chunks().forEach(chunk -> chunks.put(chunk.index(), chunk));
        extendMillis = restarted || isDeaf() ? settings.leaseMillis() : 0;
        lastAnswerAt = shared.now;
        renewAt = shared.now + settings.renewMillis();
        adoptAt = shared.now + adoptAfter();
        dueInFlight = false;
        patrolInFlight = false;
        dueAt = after(a.nextDueMillis());
        lapseAt = after(a.nextLapseMillis());
        quietUntil = shared.now + a.quietMillis();

        awaited.clear();
        redeliveries.clearAwaited();
        for (Lane lane : lanes.all()) {
            lane.open();
            lane.handing = 0;
            lane.ahead = 0;
            lane.busy = null;
            lane.claiming = null;
        }
        Set<Long> held = new HashSet<>(a.presentedTokens());
        List<Entry> overtaken = keepActive(held);
        outbox.resend().values().forEach(item -> noteHeld(item, held));
        outcomes.forEach(item -> noteHeld(item, held));
        if (!log) {
            if (restarted) {
                oweWhatWasForgotten();
            }
            remember(a);
        }
        a.blocked().forEach(this::block);
        outbox.resend().values().forEach(this::foresee);
        handovers.forEach(this::foresee);
        adoptHeads();
        for (Item.Outcome item : outcomes) {
            tracker.unjudge(item.entry());
            if (item.isRelayed() && item.entry().key != null) {
                lanes.lane(item.entry().key).ahead++;
            }
        }
        List<Entry> judgeAgain = tracker.takeJudged();
        judgeAgain.addAll(overtaken);
        // Where the store forgot whose the partition was, another may have worked on it meanwhile.
        judgeAgain.addAll(lanes.takeOut(
                entry -> foreign.containsKey(entry.position) || log && entry.tracked() && isSettled(entry.bit)));
        if (!log && shared.recalls == null) {
            recognise(judgeAgain, a.past().owed());
        }
        behindRelays.removeIf(entry -> foreign.containsKey(entry.position));
        judgeAgain.forEach(this::judge);
        first.clear();
        back.clear();
        lanes.touchAll();
        giveUpAwaited();
        if (!opened) {
            handOverOwed();
            openWanted = true;
        }
    }

    /**
     * If the store forgot that a message was settled when it came before, what runs under its identity, or ended here, is
     * that message.
     */
    private void recognise(List<Entry> judgeAgain, List<Position> owed) {
        Map<String, Position> here = new HashMap<>();
        active.forEach((position, a) -> {
            if (a.owned && a.entry != null && !a.entry.tracked()) {
                here.put(Redeliveries.identityOf(position), position);
            }
        });
        outbox.resend().forEach((position, item) -> {
            if (item instanceof Item.Outcome && !item.entry().tracked()) {
                here.put(Redeliveries.identityOf(position), position);
            }
        });
        Set<Position> came = new HashSet<>();
        tracker.entries().forEach(entry -> came.add(entry.position));
        foreign.forEach((position, claim) -> {
            if (!claim.held()) {
                here.put(Redeliveries.identityOf(position), position);
            }
        });
        owed.forEach(position -> here.put(Redeliveries.identityOf(position), position));
        Map<Position, Item.Outcome> ended = new HashMap<>();
        for (Item.Outcome outcome : outcomes) {
            if (!outcome.entry().tracked()) {
                here.put(Redeliveries.identityOf(outcome.position()), outcome.position());
                ended.put(outcome.position(), outcome);
            }
        }
        here.values().removeIf(came::contains);
        judgeAgain.replaceAll(entry -> {
            boolean known = entry.matched || !entry.redelivered || !Redeliveries.isNamed(entry.position);
            Position position = known ? null : here.remove(Redeliveries.identityOf(entry.position));
            Item.Outcome ending = position == null ? null : ended.get(position);
            if (ending != null) {
                undelivered.put(position, ending);
            }
            if (position == null) {
                return entry;
            }
            Entry recognised = tracker.exchange(entry, entry.at(position));
            recognised.adoptFirst = owed.contains(position);
            return recognised;
        });
    }

    /**
     * If the store forgot that it took a task over, the message was not acked and comes again, to any partition. The
     * store knows whether that is so.
     */
    private void oweWhatWasForgotten() {
        for (Active a : active.values()) {
            if (a.owned && a.entry != null) {
                a.owes |= owes(a.entry) && shared.recalls == null;
            }
        }
        for (Item.Outcome outcome : outcomes) {
            if (owes(outcome.entry()) && shared.recalls == null) {
                undelivered.put(outcome.position(), outcome);
            }
        }
        outbox.resend().values().forEach(item -> owes(item.entry()));
    }

    private boolean owes(Entry entry) {
        boolean mayCome = !entry.tracked() && Redeliveries.isNamed(entry.position);
        if (mayCome) {
            entry.owes = true;
            if (shared.recalls == null) {
                redeliveries.mayCome(entry.position);
            }
        }
        return mayCome;
    }

    /** The messages of these runs may come again to any partition, which must know that we do not have them. */
    private void handOverOwed() {
        for (Active a : active.values()) {
            Entry entry = a.entry;
            if (shared.recalls != null && a.owned && a.owes && entry != null && !entry.tracked()) {
                handOver(entry, new Move.Adopt());
            }
        }
    }

    /** What a queue's redeliveries may be. */
    private void remember(StoreAnswer.Acquired a) {
        pages.forgetAsked();
        if (opened) {
            redeliveries.again(a);
            if (shared.recalls == null) {
                a.past().owed().forEach(redeliveries::mayCome);
            }
            pages.again(a.past().pages());
            return;
        }
        if (shared.recalls != null) {
            redeliveries.clear();
            redeliveries.again(a);
            pages.begin(a.past().pages(), shared.now);
            return;
        }
        List<Position> own = new ArrayList<>();
        for (Active each : active.values()) {
            if (each.owned && each.owes) {
                own.add(each.run.position());
            }
        }
        undelivered.keySet().forEach(own::add);
        redeliveries.begin(own, a);
        pages.begin(a.past().pages(), shared.now);
    }

    /** Which runs still have their claims. Returns the delivered entries of those that have not. */
    private List<Entry> keepActive(Set<Long> presentedTokens) {
        List<Entry> overtaken = new ArrayList<>();
        for (Active a : active.values()) {
            a.owned = presentedTokens.contains(a.run.token());
            Entry entry = a.entry;
            if (!a.owned) {
                a.entry = null;
                if (entry != null && entry.tracked() && entry.mark == Mark.PENDING) {
                    overtaken.add(entry);
                }
                continue;
            }
            if (entry == null) {
                entry = new Entry(
                        a.run.position(),
                        a.key,
                        -1,
                        a.run.sequence(),
                        0,
                        a.run.task(),
                        null,
                        a.run.attempt() - 1,
                        true);
                entry.owes = a.owes;
                a.entry = entry;
            }
            a.run.heldAgain(acquireSentAt, acquireSentAt + settings.leaseMillis());
            if (a.key != null) {
                // If it never begins, it still goes before all that waits.
                entry.order = 0;
                lanes.lane(a.key).busy = entry;
            }
        }
        return overtaken;
    }

    private static void noteHeld(Item item, Set<Long> held) {
        if (item instanceof Item.Outcome outcome) {
            outcome.isOver = !held.contains(outcome.token());
        }
    }

    /** What an item that is sent again will do to its lane. */
    private void foresee(Item item) {
        String key = item.entry().key;
        if (key == null) {
            return;
        }
        Lane lane = lanes.lane(key);
        if (item instanceof Item.Outcome outcome) {
            lane.ahead += outcome.isRelayed() ? 1 : 0;
            if (blocks(outcome.verdict())) {
                lane.block(outcome.position());
            }
        } else if (item instanceof Item.Handover handover) {
            if (handover.holdsLane()) {
                lane.handing++;
            }
            if (handover.move() instanceof Move.Adopt && active.containsKey(handover.position())) {
                lane.block(handover.position());
            }
        }
    }

    private static boolean blocks(Verdict verdict) {
        return verdict instanceof Verdict.Retry
                || verdict instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.HALT;
    }

    private void block(StoreAnswer.Blocked blocked) {
        Lane lane = lanes.lane(blocked.key());
        lane.block(blocked.head());
        if (blocked.why() == StoreAnswer.Why.REDELIVERY) {
            awaitHead(blocked.key());
        }
        lanes.touch(lane);
    }

    /** The key waits for a delivery of its head, which may never come. */
    private void awaitHead(String key) {
        Lane lane = lanes.find(key);
        if (lane == null || lane.head == null) {
            return;
        }
        if (!tracker.isLog()) {
            redeliveries.await(lane.head, key);
            return;
        }
        long offset = offsetOf(lane.head);
        if (offset >= 0) {
            awaited.put(offset, key);
        } else {
            // Of an earlier incarnation: if it comes again, then as another position.
            gone.addLast(new Gone(lane.head, key));
        }
    }

    /** The offset of a position of this incarnation; -1 for any other. */
    private long offsetOf(Position position) {
        String prefix = incarnation + ":";
        return tracker.isLog() && position.text().startsWith(prefix)
                ? Long.parseLong(
                        position.text(), prefix.length(), position.text().length(), 10)
                : -1;
    }

    /** Keys that wait for offsets which can't come any more go on. */
    private void giveUpAwaited() {
        if (phase != Phase.OWNED || !opened || rewindWanted) {
            return;
        }
        redeliveries.takeAwaited().forEach((position, key) -> {
            if (!tracker.isPending(position)) {
                gone.addLast(new Gone(position, key));
            }
        });
        redeliveries.takeLeftovers().forEach(position -> gone.addLast(new Gone(position, null)));
        long passed = passed();
        while (!awaited.isEmpty() && awaited.firstKey() < passed) {
            Map.Entry<Long, String> first = awaited.pollFirstEntry();
            if (!tracker.isPending(first.getKey())) {
                gone.addLast(new Gone(Position.of(incarnation, first.getKey()), first.getValue()));
            }
        }
    }

    /** What lies below was delivered, or is not going to be. */
    private long passed() {
        return Math.max(nextSequence, Math.max(committed, facts.logStart()));
    }

    /**
     * All memory is taken by tasks that wait behind an offset for which there is no room: Redis forgot what came before it.
     * Then those before it go first, as they did.
     */
    private void giveUpIfStuck() {
        boolean waits = !awaited.isEmpty() && opened && isFull(true, 1);
        if (!waits || !active.isEmpty() || !outcomes.isEmpty() || lanes.hasReady() || !handovers.isEmpty()) {
            return;
        }
        boolean works = outbox.pending().stream()
                .anyMatch(sent -> sent.request() instanceof StoreRequest.Step
                        || sent.request() instanceof StoreRequest.Hand
                        || sent.request() instanceof StoreRequest.Due);
        if (!works) {
            Map.Entry<Long, String> first = awaited.pollFirstEntry();
            gone.addLast(new Gone(Position.of(incarnation, first.getKey()), first.getValue()));
        }
    }

    /** Memory stays; all that is not known to be durable is sent again once the partition is acquired again. */
    private void recover() {
        if (phase == Phase.LEAVING) {
            leave();
            return;
        }
        List<Item.Outcome> returned = new ArrayList<>();
        for (Outbox.Sent sent : outbox.pending()) {
            takeBack(sent);
            returned.addAll(returnedBy(sent));
        }
        Collection<Entry> parked = outbox.planResend(outcomes);
        adoptWhatRuns();
        returned.forEach(this::backInPlace);
        for (Entry entry : parked) {
            if (adoptIfRuns(entry)) {
                continue;
            }
            if (entry.tracked()) {
                entry.held = false;
                tracker.mark(entry, Mark.JUDGED, NEVER);
            } else {
                lanes.enter(entry);
            }
        }
        for (Item item : outbox.resend().values()) {
            tracker.mark(item.entry(), Mark.PENDING, 0);
        }
        outcomes.forEach(item -> tracker.mark(item.entry(), Mark.PENDING, 0));
        proofs.clear();
        acquiring = null;
        confirmFirst = true;
        phase = Phase.WAITING;
        retryAt = 0;
    }

    /** Claims that had no answer did not happen: acquire makes it so. */
    private void takeBack(Outbox.Sent sent) {
        shared.slots.give(sent.slots());
        for (int i = sent.claims().size() - 1; i >= 0; i--) {
            lanes.claimAnswered(sent.claims().get(i));
            requeue(sent.claims().get(i));
        }
    }

    private static List<Item.Outcome> returnedBy(Outbox.Sent sent) {
        return sent.outcomes().stream()
                .filter(outcome -> outcome.verdict() instanceof Verdict.Returned)
                .toList();
    }

    private void requeue(Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = null;
        }
        lanes.reenter(entry);
    }

    /** In the plan, what runs by now is adopted instead: its outcome comes later. */
    private void adoptWhatRuns() {
        for (Item item : List.copyOf(outbox.resend().values())) {
            adoptIfRuns(item.entry());
        }
    }

    private boolean adoptIfRuns(Entry handed) {
        Active running = active.get(handed.position);
        if (running == null || running.entry == null) {
            return false;
        }
        if (handed.tracked() && handed.task != null) {
            attach(running, handed);
            outbox.resend().put(handed.position, new Item.Handover(handed, new Move.Adopt()));
        } else if (!isAdoption(outbox.resend().get(handed.position))) {
            outbox.resend().remove(handed.position);
        }
        return true;
    }

    private static boolean isAdoption(@Nullable Item item) {
        return item instanceof Item.Handover handover && handover.move() instanceof Move.Adopt;
    }

    /** Another has or had the partition: what is in memory may be wrong. The broker is asked whether it is ours. */
    private void fenced() {
        boolean leaving = phase == Phase.LEAVING;
        dropMemory();
        if (leaving || opened && !tracker.isLog()) {
            // A queue is leased again, if it should be, with a new channel.
            leave();
            return;
        }
        rewindWanted = opened;
        continues = false;
        confirmFirst = true;
        phase = Phase.WAITING;
        retryAt = 0;
    }

    private void leave() {
        dropMemory();
        acquiring = null;
        keepAt = shared.now;
        leftWanted |= phase != Phase.LEFT;
        phase = Phase.LEFT;
        dropStarts();
    }

    /** What was claimed in this very turn and not yet handed to a worker goes back. */
    private void dropStarts() {
        List<Run> dropped = new ArrayList<>();
        for (Run run : shared.starts) {
            if (run.partition().equals(partition)) {
                dropped.add(run);
            }
        }
        shared.starts.removeAll(dropped);
        dropped.forEach(run -> finished(run, Outcome.NotStarted.INSTANCE));
    }

    /** Runs go on; their outcomes go by token. Everything else of this ownership is forgotten. */
    private void dropMemory() {
        for (Active a : active.values()) {
            a.owes |= a.entry != null && tracker.isUnacked(a.entry);
        }
        for (Outbox.Sent sent : outbox.pending()) {
            shared.slots.give(sent.slots());
        }
        outbox.drop().forEach(item -> late.add(item, incarnation));
        outcomes.forEach(item -> late.add(item, incarnation));
        outcomes.clear();
        undelivered.clear();
        settledAhead.clear();
        handovers.clear();
        gone.clear();
        awaited.clear();
        first.clear();
        back.clear();
        lanes.clear();
        tracker.clear();
        redeliveries.clear();
        if (shared.recalls != null) {
            shared.recalls.forget(this);
        }
        droppable = -1;
        proofs.clear();
        foreign.clear();
        foreignKeys.clear();
        relayedUpTo = 0;
        behindRelays.clear();
        ownedUpTo = 0;
        chunks.clear();
        nextSequence = -1;
        for (Active a : active.values()) {
            a.owned = false;
            a.entry = null;
        }
    }

    // ---- runs ----

    private void start(Entry entry, long claimToken, int lapses, long sentAt) {
        Run run = new Run(
                partition,
                entry.position,
                entry.requireTask(),
                claimToken,
                entry.attempts + lapses + 1,
                lapses,
                entry.bit,
                sentAt + settings.leaseMillis());
        Active a = new Active(run, entry.key, shared.now, entry);
        active.put(entry.position, a);
        if (entry.key != null) {
            lanes.lane(entry.key).busy = entry;
        }
        if (phase == Phase.OWNED) {
            shared.starts.add(run);
        } else {
            finished(run, Outcome.NotStarted.INSTANCE);
        }
    }

    void finished(Run run, Outcome outcome) {
        shared.slots.give(1);
        Active found = active.get(run.position());
        Active a = found != null && found.run == run ? found : null;
        if (a != null) {
            active.remove(run.position());
        }
        String key = keyOf(run.task());
        Entry entry = a != null && a.entry != null ? a.entry : endedEntry(run, key);
        boolean deliveryEnds = entry.task == null || entry.tracked() && entry.mark != Mark.PENDING;
        if (deliveryEnds && outcome instanceof Outcome.NotStarted) {
            entry = withItsTask(entry, run);
        }
        entry.owes |= a != null && a.owes;
        Item.Outcome ended = new Item.Outcome(entry, run.token(), run.attempt(), verdict(run, key, outcome));
        if (a != null && (a.owned || phase == Phase.WAITING || phase == Phase.CONFIRMING || phase == Phase.ACQUIRING)) {
            withdrawAdoption(entry);
            outcomes.addLast(ended);
            ended.after = a.after;
            Lane lane = lanes.find(entry.key);
            if (lane != null && mayRelay(a, lane, ended)) {
                relay(a, lane, ended);
            }
            if (lane != null && ended.isRelayed()) {
                lane.ahead++;
            }
            if (!entry.tracked() && (tracker.isLog() || entry.owes)) {
                undelivered.put(entry.position, ended);
            }
        } else {
            late.add(ended, incarnation);
        }
    }

    private boolean mayRelay(Active a, Lane lane, Item.Outcome ended) {
        Entry entry = ended.entry();
        boolean sound = ended.verdict() instanceof Verdict.Success
                && a.run.attempt() == entry.attempts + 1
                && !entry.held
                && phase == Phase.OWNED
                && outbox.resend().isEmpty()
                && shared.now >= quietUntil
                && a.run.leaseUntil() - shared.now >= settings.leaseMillis() / 4;
        if (!sound || lane.busy != entry || lane.blocked || lane.handing > 0) {
            return false;
        }
        Entry next = lane.queue.peekFirst();
        boolean others = lanes.hasReady() && a.relays >= RELAYS_BESIDE_OTHERS;
        return next != null
                && next.tracked()
                && !next.held
                && next.order <= ownedUpTo
                && !foreignKeys.contains(next.key)
                && lane.ahead < MAX_AHEAD
                && !others
                && shared.slots.take();
    }

    /** The key's next task starts under the claim that the ended one still holds; its outcome brings the claim of the next. */
    private void relay(Active a, Lane lane, Item.Outcome ended) {
        Entry next = lane.queue.removeFirst();

        lane.busy = next;
        ended.then = new StoreRequest.Claim(next.position, ++token, next.key, false);
        Run run = new Run(
                partition,
                next.position,
                next.requireTask(),
                token,
                next.attempts + 1,
                0,
                next.bit,
                a.run.leaseUntil());
        Active relayed = new Active(run, next.key, shared.now, next);
        relayed.broughtBy = ended;
        relayed.after = ended.token();
        relayed.relays = a.relays + 1;
        active.put(next.position, relayed);
        shared.starts.add(run);
    }

    /** What the outcome says of the claim that it brought. */
    private void relayAnswered(Item.Outcome outcome, StoreRequest.Claim then, boolean recorded, long sentAt) {
        Active a = active.get(then.position());
        if (a != null && a.broughtBy == outcome) {
            a.broughtBy = null;
            if (recorded) {
                a.run.renewedUntil(sentAt + settings.leaseMillis());
            }
        }
    }

    /** Its delivery is let go of, now or soon, as the store has the task; but it waits for its turn again. */
    private Entry withItsTask(Entry entry, Run run) {
        Entry waiting = endedEntry(run, entry.key);
        waiting.order = entry.order;
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = waiting;
        }
        return waiting;
    }

    /** A run that ended before its adoption was sent needs none. */
    private void withdrawAdoption(Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (handovers.removeIf(handover -> handover.entry() == entry) && lane != null) {
            lane.handing--;
            lanes.touch(lane);
        }
    }

    private static Entry endedEntry(Run run, @Nullable String key) {
        return new Entry(run.position(), key, -1, run.sequence(), 0, run.task(), null, run.attempt() - 1, true);
    }

    private Verdict verdict(Run run, @Nullable String key, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            return new Verdict.Retry(retry.delayMillis(), envelope(run, retry.error()));
        }
        if (outcome instanceof Outcome.Dead dead) {
            return new Verdict.Dead(
                    key == null ? DeadHead.SKIP : shared.policy.deadHead(), envelope(run, dead.error()));
        }
        return outcome instanceof Outcome.NotStarted ? new Verdict.Returned() : new Verdict.Success(sample(run));
    }

    /** Of the successes a small one a second is kept to be looked at; all are counted. */
    private byte @Nullable [] sample(Run run) {
        if (shared.now < sampleAt || run.task().weight() > MAX_SAMPLE_BYTES) {
            return null;
        }
        sampleAt = shared.now + SAMPLE_MILLIS;
        return envelope(run, null);
    }

    private static byte[] envelope(Run run, @Nullable String error) {
        return new Envelope(run.task(), run.attempt(), run.token(), error).encode();
    }

    // ---- answers ----

    private void stepped(Outbox.Sent sent, StoreAnswer.Stepped answer) {
        StoreRequest.Step step = (StoreRequest.Step) sent.request();
        for (int i = 0; i < sent.outcomes().size(); i++) {
            Item.Outcome outcome = sent.outcomes().get(i);
            long nextToken = step.settles().get(i).nextToken();
            StoreAnswer.Settled code = answer.settles().get(i);
            if (nextToken != 0 && !(code instanceof StoreAnswer.Settled.Next)) {
                shared.slots.give(1);
            }
            if (outcome.isRelayed()) {
                Lane lane = lanes.find(outcome.entry().key);
                if (lane != null && lane.ahead > 0) {
                    lane.ahead--;
                    lanes.touch(lane);
                }
            }
            if (outcome.then != null) {
                relayAnswered(outcome, outcome.then, code instanceof StoreAnswer.Settled.Ok, sent.sentAt());
            }
            if (code instanceof StoreAnswer.Settled.Refused) {
                refused(outcome);
                continue;
            }
            settled(outcome, sent.number(), code instanceof StoreAnswer.Settled.Ok ok && ok.opened());
            if (code instanceof StoreAnswer.Settled.Next next) {
                startNext(next, nextToken, sent.sentAt());
            }
        }
        for (int i = 0; i < sent.claims().size(); i++) {
            claimed(
                    sent.claims().get(i),
                    step.claims().get(i).token(),
                    answer.claims().get(i),
                    sent.sentAt());
        }
    }

    private void settled(Item.Outcome outcome, long number, boolean nowOpen) {
        Entry entry = outcome.entry();
        noLongerUndelivered(outcome, number);
        if (outcome.verdict() instanceof Verdict.Success) {
            tracker.mark(entry, Mark.DONE, number);
        } else if (outcome.verdict() instanceof Verdict.Returned) {
            if (comesBackByItself(entry)) {
                dueAt = Math.min(dueAt, shared.now);
                if (entry.tracked() && entry.mark == Mark.PENDING && phase == Phase.OWNED) {
                    // What comes back has no delivery; the store says of this one that it is settled.
                    handOver(entry, new Move.Adopt());
                } else if (entry.key != null && tracker.isLog() && !entry.tracked()) {
                    // The store may have its claim only, and forgot that it had more.
                    awaitHead(entry.key);
                }
            } else if (phase == Phase.OWNED) {
                requeue(entry);
            }
        } else {
            tracker.mark(entry, Mark.HANDED, number);
            if (outcome.verdict() instanceof Verdict.Retry retry) {
                dueAt = Math.min(dueAt, shared.now + retry.delayMillis());
            }
        }
        if (outcome.movesCustody()) {
            outbox.hold(outcome, number);
            proofs.answered(number, shared.now);
        }
        Lane lane = lanes.find(entry.key);
        if (lane != null && nowOpen) {
            lane.open();
            lanes.touch(lane);
        }
    }

    /** A returned task of the store is due at once, and comes by that, unless it has a place in a hot lane to keep. */
    private boolean comesBackByItself(Entry entry) {
        Lane lane = lanes.find(entry.key);
        return entry.held && (lane == null || entry.position.equals(lane.head));
    }

    private void noLongerUndelivered(Item.Outcome outcome, long number) {
        Entry entry = outcome.entry();
        if (!entry.tracked()) {
            undelivered.remove(entry.position);
            if (tracker.isLog() && entry.bit >= nextSequence && !(outcome.verdict() instanceof Verdict.Returned)) {
                settledAhead.put(entry.bit, number);
            }
        }
    }

    private void startNext(StoreAnswer.Settled.Next next, long nextToken, long sentAt) {
        Entry entry = fromStore(next.position(), next.envelope());
        if (entry.key != null) {
            lanes.lane(entry.key).block(entry.position);
        }
        start(entry, nextToken, next.lapses(), sentAt);
    }

    private Entry fromStore(Position position, byte[] bytes) {
        Envelope envelope = Envelope.decode(partition.queue(), bytes);
        long offset = offsetOf(position);
        return new Entry(
                position,
                keyOf(envelope.task()),
                -1,
                offset >= committed ? offset : -1,
                ++order,
                envelope.task(),
                null,
                envelope.attempts(),
                true);
    }

    /** Another token has the position: this outcome counts for nothing. What the position's state is, a claim tells. */
    private void refused(Item.Outcome outcome) {
        Entry entry = outcome.entry();
        undelivered.remove(entry.position);
        if (!tracker.isLog() && outcome.sentAgain && outcome.verdict() instanceof Verdict.Success) {
            // No bit tells that it was recorded the first time. While our channel has its message, nobody else can have
            // taken its claim.
            tracker.mark(entry, Mark.DONE, 0);
            free(entry);
        } else if (entry.tracked() && entry.mark == Mark.PENDING && phase == Phase.OWNED) {
            entry.doubtful = true;
            requeue(entry);
        }
    }

    private void claimed(Entry entry, long claimToken, StoreAnswer.Claimed code, long sentAt) {
        lanes.claimAnswered(entry);
        if (code instanceof StoreAnswer.Claimed.Ok ok) {
            lanes.forgetOffered(entry);
            start(entry, claimToken, ok.lapses(), sentAt);
            return;
        }
        shared.slots.give(1);
        if (code instanceof StoreAnswer.Claimed.KeyBlocked blocked) {
            if (entry.key != null) {
                lanes.lane(entry.key).block(blocked.head());
            }
            requeue(entry);
            return;
        }
        lanes.forgetOffered(entry);
        if (entry.tracked()) {
            // The store knows more of it than we do. Its lane waits for what that is.
            handOver(entry, new Move.Adopt());
        } else {
            free(entry);
        }
    }

    private void free(Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = null;
            lanes.touch(lane);
        }
    }

    private void handed(Outbox.Sent sent, StoreAnswer.Handed answer) {
        dueAt = Math.min(dueAt, after(answer.nextDueMillis()));
        if (answer.codes().contains(HandCode.NO_ROOM)) {
            noRoom(sent.handovers());
            return;
        }
        for (int i = 0; i < sent.handovers().size(); i++) {
            Item.Handover handover = sent.handovers().get(i);
            Entry entry = handover.entry();
            HandCode code = answer.codes().get(i);
            Lane lane = handover.holdsLane() ? lanes.find(entry.key) : null;
            if (lane != null) {
                lane.handing--;
            }
            switch (code) {
                case OK -> handedOver(handover, sent.number());
                case DONE -> {
                    if (entry.maybeTwin && entry.mark == Mark.PENDING) {
                        judge(asAnother(entry));
                        break;
                    }
                    lanes.forgetOffered(entry);
                    if (handover.parks() && !entry.tracked()) {
                        outbox.hold(handover, sent.number());
                    }
                    tracker.mark(entry, Mark.JUDGED, sent.number());
                    proofs.answered(sent.number(), shared.now);
                    afterAdoption(handover, false);
                }
                case OPEN -> {
                    if (lane != null) {
                        if (lane.handing == 0) {
                            lane.open();
                        }
                        lane.add(entry);
                    }
                }
                case FULL -> {
                    if (lane != null) {
                        lanes.full(lane);
                        lane.add(entry);
                        fullRetryAt = shared.now + settings.retryMillis();
                    }
                }
                case GONE -> {
                    boolean here = tracker.isLog() || entry.tracked();
                    if (here && entry.mark == Mark.PENDING && !active.containsKey(entry.position)) {
                        foreign.remove(entry.position);
                        entry.held = false;
                        entry.adoptFirst = false;
                        if (!tracker.isLog() && redeliveries.isRemembered(entry)) {
                            // An earlier request that settled it had no answer.
                            pages.keepFor(entry, shared.now);
                            tracker.mark(entry, Mark.JUDGED, acquiredWith);
                            if (entry.key != null) {
                                gone.addLast(new Gone(entry.position, entry.key));
                            }
                        } else if (entry.unreadable != null) {
                            handOver(entry, new Move.Bury());
                        } else if (!entry.matched && entry.requireTask().notBefore() > shared.wall) {
                            handOver(
                                    entry, new Move.Schedule(entry.requireTask().notBefore()));
                        } else {
                            requeue(entry);
                        }
                    }
                }
                case NO_ROOM -> throw new IllegalStateException("No room for some of them");
            }
            if (lane != null) {
                lanes.touch(lane);
            }
        }
    }

    /**
     * All are tried again, and their lanes go on waiting; but for runs that have ended meanwhile. What was to be parked
     * goes back to its lane, so that no two requests carry tasks of one key, of which the later one may find room.
     */
    private void noRoom(List<Item.Handover> refused) {
        roomAt = shared.now + settings.retryMillis();
        Set<Position> ended = new HashSet<>();
        outcomes.forEach(outcome -> ended.add(outcome.position()));
        outbox.pending().forEach(sent -> sent.outcomes().forEach(outcome -> ended.add(outcome.position())));
        for (int i = refused.size() - 1; i >= 0; i--) {
            Item.Handover handover = refused.get(i);
            Lane lane = handover.parks() ? lanes.find(handover.entry().key) : null;
            if (lane != null) {
                lane.handing--;
                lane.add(handover.entry());
                lanes.touch(lane);
                continue;
            }
            handovers.addFirst(handover);
            if (ended.contains(handover.position())) {
                withdrawAdoption(handover.entry());
            }
        }
    }

    /** It was no earlier delivery after all. */
    private Entry asAnother(Entry entry) {
        Position fresh = Redeliveries.position(Redeliveries.identityOf(entry.position), outbox.writer(), ++order);
        Entry other = tracker.exchange(entry, entry.at(fresh));
        other.matched = false;
        return other;
    }

    private void handedOver(Item.Handover handover, long number) {
        Entry entry = handover.entry();
        if (entry.maybeTwin) {
            // Its message came.
            Active running = active.get(entry.position);
            if (running != null) {
                running.owes = false;
                if (running.entry != null) {
                    running.entry.owes = false;
                }
            }
        }
        lanes.forgetOffered(entry);
        entry.held = true;
        tracker.mark(entry, Mark.HANDED, number);
        outbox.hold(handover, number);
        proofs.answered(number, shared.now);
        afterAdoption(handover, true);
    }

    /** The key of a task under a claim that the store holds is blocked by it. */
    private void afterAdoption(Item.Handover handover, boolean moved) {
        if (!(handover.move() instanceof Move.Adopt)) {
            return;
        }
        Entry entry = handover.entry();
        boolean runs = active.containsKey(entry.position);
        // If it is still ours, what was done is that the store has it.
        entry.held = true;
        if (entry.key == null) {
            return;
        }
        if (moved || runs || foreign.containsKey(entry.position)) {
            Lane lane = lanes.lane(entry.key);
            lane.block(entry.position);
            lanes.touch(lane);
        }
        if (!runs) {
            free(entry);
        }
    }

    private void due(Outbox.Sent sent, StoreAnswer.DueTasks answer) {
        dueInFlight = false;
        dueAt = answer.more() ? shared.now : after(answer.nextDueMillis());
        shared.slots.give(sent.slots() - answer.claimed().size());
        for (StoreAnswer.DueTask task : answer.claimed()) {
            Entry entry = fromStore(task.position(), task.envelope());
            if (entry.key != null) {
                lanes.lane(entry.key).block(entry.position);
            }
            start(entry, task.token(), task.lapses(), sent.sentAt());
        }
        for (StoreAnswer.DueTask task : answer.offered()) {
            if (!isHere(task.position())) {
                offered(fromStore(task.position(), task.envelope()));
            }
        }
    }

    private boolean isHere(Position offered) {
        boolean waits =
                lanes.isOffered(offered) || behindRelays.stream().anyMatch(entry -> entry.position.equals(offered));
        return waits || active.containsKey(offered);
    }

    /** What a former owner may have begun goes first, in the broker's order. */
    private void offered(Entry entry) {
        if (entry.key == null || !mayComeAgain()) {
            lanes.enter(entry);
        } else if (behindRelays.size() < MAX_OFFERED) {
            behindRelays.add(entry);
        }
    }

    /** Whether the broker has still to deliver what a former owner may have begun. */
    private boolean mayComeAgain() {
        if (shared.now >= behindUntil || !shared.keeps(Rule.OFFER_BEHIND_RELAYS)) {
            return false;
        }
        return tracker.isLog() ? passed() < relayedUpTo : !redeliveries.isCaughtUp();
    }

    private void offerBehindRelays() {
        if (!behindRelays.isEmpty() && !mayComeAgain()) {
            List<Entry> waiting = List.copyOf(behindRelays);
            behindRelays.clear();
            for (Entry entry : waiting) {
                if (!isHere(entry.position)) {
                    entry.order = ++order;
                    lanes.enter(entry);
                }
            }
        }
    }

    private void renewed(Outbox.Sent sent, StoreAnswer.Renewed answer) {
        if (!answer.runId().equals(runId)) {
            recover();
            return;
        }
        StoreRequest.Renew renew = (StoreRequest.Renew) sent.request();
        renew(renew.positions(), answer.lost(), sent.sentAt());
        if (renew.positions().isEmpty() && answer.durable()) {
            proven(proofs.proven(sent.sentAt()));
        }
        dueAt = Math.min(dueAt, after(answer.nextDueMillis()));
        lapseAt = after(answer.nextLapseMillis());
        if (!answer.opened().isEmpty()) {
            lanes.retryFull();
            answer.opened().forEach(this::awaitHead);
            giveUpAwaited();
        }
    }

    /**
     * A lease that had run out when it was asked for is none any more, whatever the store says: it may have forgotten
     * who had the key since.
     */
    private void kept(List<Position> positions, List<Position> lost) {
        List<Position> inTime = new ArrayList<>(positions);
        inTime.removeIf(position -> {
            Active a = active.get(position);
            return a == null || a.run.leaseUntil() < keepSentAt && !lost.contains(position);
        });
        renew(inTime, lost, keepSentAt);
    }

    private void renew(List<Position> positions, List<Position> lost, long sentAt) {
        Set<Position> gonePositions = Set.copyOf(lost);
        for (Position position : positions) {
            Active a = active.get(position);
            if (a != null) {
                if (gonePositions.contains(position)) {
                    a.run.lost(shared.now);
                } else {
                    a.run.renewedUntil(sentAt + settings.leaseMillis());
                }
            }
        }
    }

    private void proven(long upTo) {
        if (upTo > 0) {
            tracker.proven(upTo);
            for (Item item : outbox.proven(upTo)) {
                if (item.entry().number <= upTo) {
                    tracker.letGo(item.entry());
                }
            }
        }
    }

    private void patrolled(StoreAnswer.Patrolled answer) {
        patrolInFlight = false;
        lapseAt = after(answer.nextLapseMillis());
        dueAt = Math.min(dueAt, after(answer.nextDueMillis()));
        answer.waiting().forEach(this::block);
        giveUpAwaited();
    }

    private void ok(Outbox.Sent sent, StoreAnswer.Ok answer) {
        dueAt = Math.min(dueAt, after(answer.nextDueMillis()));
        if (sent.request() instanceof StoreRequest.Release) {
            leave();
        } else if (sent.request() instanceof StoreRequest.Gone went) {
            Lane lane = lanes.find(went.key());
            if (lane != null && went.position().equals(lane.head)) {
                lane.open();
                lanes.touch(lane);
            }
        }
    }

    private long after(long millis) {
        return millis < 0 ? NEVER : shared.now + millis;
    }

    private long adoptAfter() {
        return Math.max(settings.horizonMillis(), settings.probeMillis());
    }

    // ---- what is to be done now ----

    void flush(Commands out) {
        if (openWanted) {
            openWanted = false;
            opened = true;
            nextSequence = -1;
            out.open(partition);
            giveUpAwaited();
        }
        if (rewindWanted && phase == Phase.OWNED) {
            rewindWanted = false;
            out.rewind(partition);
        }
        if (storeUp) {
            if (late.hasUnsent()) {
                late.flush(out);
            }
            keep(out);
            switch (phase) {
                case WAITING -> {
                    if (shared.now >= retryAt) {
                        // What the broker said long ago (this process may have been frozen) says nothing of now.
                        if (confirmFirst || shared.now - factsAt > settings.leaseMillis() / 4) {
                            phase = Phase.CONFIRMING;
                            out.confirm(partition);
                        } else {
                            acquire(out);
                        }
                    }
                }
                case OWNED -> work(out);
                case LEAVING -> release(out);
                case CONFIRMING, ACQUIRING, LEFT -> {}
            }
        }
        backPressure(out);
        if (leftWanted) {
            leftWanted = false;
            out.left(partition);
        }
    }

    private void work(Commands out) {
        sendAgain(out);
        offerBehindRelays();
        if (outbox.resend().isEmpty()) {
            steps(out);
            if (outcomes.isEmpty()) {
                hands(out);
            }
            giveUpIfStuck();
            gone(out);
            dues(out);
        }
        renewals(out);
        patrol(out);
        adopt();
        commit(out);
        mirror(out);
        dropPages(out);
    }

    private void release(Commands out) {
        sendAgain(out);
        steps(out);
        commit(out);
        if (!releaseSent) {
            // Nobody may come after us, and what an operator moves back meanwhile is known by the mirror.
            mirrorAt = shared.now;
            mirror(out);
        }
        settling = settlesFirst(out);
        if (settling) {
            return;
        }
        if (outcomes.isEmpty() && outbox.pending().isEmpty() && !releaseSent) {
            releaseSent = true;
            send(out, new StoreRequest.Release(outbox.next()), 0);
        }
    }

    /** A queue's messages without an id, which can't be recognised, are settled and acked before the channel is closed. */
    private boolean settlesFirst(Commands out) {
        if (tracker.isLog() || releaseSent) {
            return false;
        }
        boolean waits = false;
        for (Entry entry : tracker.entries()) {
            boolean named = Redeliveries.isNamed(entry.position);
            waits |= !named && entry.mark != Mark.PENDING && entry.number != NEVER;
        }
        if (waits) {
            renewals(out);
        }
        return waits;
    }

    private void send(Commands out, StoreRequest.Numbered request, int slots) {
        outbox.sent(Outbox.Sent.plain(request, slots, shared.now, order));
        out.send(request);
    }

    private void sendAgain(Commands out) {
        while (!outbox.resend().isEmpty()) {
            List<Item> items = outbox.takeResend(settings.batchSize());
            if (items.get(0) instanceof Item.Outcome) {
                List<Item.Outcome> batch = new ArrayList<>();
                items.forEach(item -> batch.add((Item.Outcome) item));
                batch.forEach(outcome -> {
                    assignPage(outcome);
                    outcome.sentAgain = true;
                });
                sendStep(out, batch, batch.stream().map(o -> o.settle(0)).toList(), List.of(), List.of(), 0);
            } else {
                List<Item.Handover> batch = new ArrayList<>();
                items.forEach(item -> batch.add((Item.Handover) item));
                sendHand(out, batch);
            }
        }
    }

    private void steps(Commands out) {
        boolean claims = phase == Phase.OWNED && shared.now >= quietUntil;
        while (outbox.stepsInFlight() < settings.batchesInFlight()) {
            int ready = claims ? Math.min(lanes.readyCount(), shared.slots.free()) : 0;
            if (outcomes.size() + ready == 0 || outbox.stepsInFlight() > 0 && outcomes.size() + ready < MIN_PIPELINED) {
                return;
            }
            int requestBytes = 0;
            int slots = 0;
            List<Item.Outcome> batch = new ArrayList<>();
            List<StoreRequest.Settle> settles = new ArrayList<>();
            while (batch.size() < settings.batchSize() && requestBytes < MAX_REQUEST_BYTES && !outcomes.isEmpty()) {
                Item.Outcome outcome = outcomes.removeFirst();
                requestBytes += outcome.entry().weight;
                long nextToken = nextToken(outcome);
                assignPage(outcome);
                slots += nextToken == 0 ? 0 : 1;
                batch.add(outcome);
                settles.add(outcome.settle(nextToken));
                outcomeSent(outcome);
            }
            List<Entry> entries = new ArrayList<>();
            List<StoreRequest.Claim> asked = new ArrayList<>();
            while (claims
                    && outcomes.isEmpty()
                    && batch.size() + entries.size() < settings.batchSize()
                    && lanes.hasReady()
                    && shared.slots.take()) {
                Entry entry = lanes.pollReady();
                if (entry == null) {
                    shared.slots.give(1);
                    break;
                }
                entries.add(entry);
                boolean doubtful = entry.doubtful
                        || late.mayHaveSettled(entry.position)
                        || entry.key != null && foreignKeys.contains(entry.key);
                long bit = tracker.isLog() && doubtful ? entry.bit : -1;
                asked.add(new StoreRequest.Claim(entry.position, ++token, entry.key, entry.held, bit));
            }
            if (batch.isEmpty() && entries.isEmpty()) {
                return;
            }
            sendStep(out, batch, settles, entries, asked, slots + entries.size());
        }
    }

    private void assignPage(Item item) {
        if (!tracker.isLog()) {
            pages.assign(item.entry(), shared.now);
        }
    }

    private void sendStep(
            Commands out,
            List<Item.Outcome> batch,
            List<StoreRequest.Settle> settles,
            List<Entry> entries,
            List<StoreRequest.Claim> claims,
            int slots) {
        StoreRequest.Step step =
                new StoreRequest.Step(outbox.next(), settings.leaseMillis(), incarnation, highest, settles, claims);
        for (Item.Outcome outcome : batch) {
            outcome.sentIn = outcome.isOver ? outcome.sentIn : step.line().number();
        }
        outbox.sent(new Outbox.Sent(step, batch, entries, List.of(), slots, shared.now, order));
        out.send(step);
    }

    /** The head of a blocked key may take the next of its lane along, in the slot that it leaves. */
    private long nextToken(Item.Outcome outcome) {
        Lane lane = lanes.find(outcome.entry().key);
        boolean goesOn = outcome.verdict() instanceof Verdict.Success
                || outcome.verdict() instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.SKIP;
        boolean heads = lane != null && lane.blocked && outcome.position().equals(lane.head);
        return goesOn && heads && phase == Phase.OWNED && shared.slots.take() ? ++token : 0;
    }

    /** The lane's state as it will be in the store when what follows arrives there. */
    private void outcomeSent(Item.Outcome outcome) {
        Entry entry = outcome.entry();
        if (entry.key == null) {
            return;
        }
        Lane lane = lanes.lane(entry.key);
        if (lane.busy == entry) {
            lane.busy = null;
        }
        if (blocks(outcome.verdict())) {
            lane.block(entry.position);
            if (!shared.keeps(Rule.PARK_FOLLOWERS)) {
                lane.queue.forEach(e -> tracker.mark(e, Mark.DONE, 0));
                lane.queue.clear();
            }
        } else if (outcome.verdict() instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.DRAIN) {
            drain(lane, entry);
        } else if (outcome.verdict() instanceof Verdict.Returned && !comesBackByItself(entry)) {
            // Nothing of this key may overtake it before it is back in its place.
            lane.busy = entry;
        }
        lanes.touch(lane);
    }

    /** What waits in memory at this moment dies with its head. */
    private void drain(Lane lane, Entry head) {
        String error = Envelope.drainedBehind(partition, head.position);
        List<Entry> kept = new ArrayList<>();
        for (Entry entry : lane.queue) {
            if (entry.held) {
                kept.add(entry);
            } else {
                handOver(new Item.Handover(entry, new Move.Bury(), error));
            }
        }
        lane.queue.clear();
        lane.queue.addAll(kept);
    }

    private void hands(Commands out) {
        if (shared.now < roomAt) {
            return;
        }
        int room = HANDS_IN_FLIGHT - (outbox.pending().size() - outbox.stepsInFlight());
        while (room-- > 0) {
            int requestBytes = 0;
            List<Item.Handover> batch = new ArrayList<>();
            while (batch.size() < settings.batchSize() && requestBytes < MAX_REQUEST_BYTES && !handovers.isEmpty()) {
                Item.Handover handover = handovers.removeFirst();
                requestBytes += handover.entry().weight;
                batch.add(handover);
            }
            while (batch.size() < settings.batchSize() && requestBytes < MAX_REQUEST_BYTES && lanes.hasParkable()) {
                for (Entry entry : lanes.pollParks(settings.batchSize() - batch.size())) {
                    requestBytes += entry.weight;
                    batch.add(new Item.Handover(entry, new Move.Park()));
                }
            }
            if (batch.isEmpty()) {
                return;
            }
            sendHand(out, batch);
        }
    }

    private void sendHand(Commands out, List<Item.Handover> batch) {
        List<StoreRequest.Entry> entries = new ArrayList<>(batch.size());
        for (Item.Handover handover : batch) {
            Entry entry = handover.entry();
            boolean storeHasIt = entry.held && handover.parks() && !entry.tracked();
            assignPage(handover);
            entry.adoptFirst |= !tracker.isLog() && entry.tracked();
            entries.add(new StoreRequest.Entry(
                    entry.position,
                    entry.key,
                    entry.memo(),
                    handover.move(),
                    storeHasIt ? null : entry.envelope(handover.error())));
        }
        StoreRequest.Hand hand = new StoreRequest.Hand(
                outbox.next(),
                incarnation,
                highest,
                shared.policy.maxParkedPerKey(),
                shared.policy.maxParkedPerPartition(),
                entries);
        outbox.sent(new Outbox.Sent(hand, List.of(), List.of(), batch, 0, shared.now, order));
        out.send(hand);
    }

    private void gone(Commands out) {
        for (Gone went = gone.pollFirst(); went != null; went = gone.pollFirst()) {
            send(out, new StoreRequest.Gone(outbox.next(), went.position(), went.key()), 0);
        }
    }

    private void dues(Commands out) {
        boolean room = shared.slots.any() || shared.policy.ordered() && lanes.offeredCount() < MAX_OFFERED;
        if (shared.now < Math.max(dueAt, quietUntil) || dueInFlight || !room || !shared.slots.any()) {
            return;
        }
        int slots = shared.slots.takeUpTo(DUE_AT_ONCE);
        long first = token + 1;
        token += slots;
        dueInFlight = true;
        send(
                out,
                new StoreRequest.Due(
                        outbox.next(),
                        settings.leaseMillis(),
                        slots,
                        Math.max(0, MAX_OFFERED - lanes.offeredCount()),
                        first,
                        shared.policy.ordered()),
                slots);
    }

    private void renewals(Commands out) {
        if (shared.now >= renewAt) {
            renewAt = shared.now + settings.renewMillis();
            sendRenew(out, List.of());
            List<Active> due = new ArrayList<>();
            for (Active a : active.values()) {
                boolean claimed = a.broughtBy == null || a.broughtBy.sentIn > 0;
                if (a.owned
                        && claimed
                        && a.run.leaseUntil() < shared.now + settings.leaseMillis() - settings.renewMillis() / 2) {
                    due.add(a);
                }
            }
            for (int from = 0; from < due.size(); from += RENEW_BATCH) {
                sendRenew(out, due.subList(from, Math.min(due.size(), from + RENEW_BATCH)));
            }
        } else if (shared.now >= probeTime()) {
            sendRenew(out, List.of());
        }
    }

    private long probeTime() {
        return proofs.waiting() ? Math.max(proofs.probeAt(), probedAt + settings.probeMillis()) : NEVER;
    }

    private void sendRenew(Commands out, List<Active> runs) {
        if (runs.isEmpty()) {
            probedAt = shared.now;
        }
        send(
                out,
                new StoreRequest.Renew(
                        outbox.next(),
                        settings.leaseMillis(),
                        runs.stream().map(a -> a.run.position()).toList(),
                        runs.stream().mapToLong(a -> a.run.token()).toArray()),
                0);
    }

    /** Runs whose ownership is in doubt or over keep their claims by token. */
    private void keep(Commands out) {
        boolean renewedOtherwise = phase == Phase.OWNED;
        if (renewedOtherwise || active.isEmpty() || keeping != null || shared.now < keepAt) {
            return;
        }
        keepAt = shared.now + settings.renewMillis();
        keepSentAt = shared.now;
        List<Active> runs = active.values().stream().limit(RENEW_BATCH).toList();
        keeping = new StoreRequest.Keep(
                partition,
                settings.leaseMillis(),
                runs.stream().map(a -> a.run.position()).toList(),
                runs.stream().mapToLong(a -> a.run.token()).toArray());
        out.send(keeping);
    }

    private void patrol(Commands out) {
        if (shared.now >= lapseAt && !patrolInFlight) {
            patrolInFlight = true;
            // Who hears nothing of the store does not know whose leases ran out only because it did not hear them
            // either.
            long extend = isDeaf() ? settings.leaseMillis() : extendMillis;
            extendMillis = 0;
            send(out, new StoreRequest.Patrol(outbox.next(), settings.batchSize(), extend, shared.policy.ordered()), 0);
        }
    }

    /** Long runs whose delivery holds back the committed offset go into the store under their live claim. */
    private void adopt() {
        if (shared.now < adoptAt) {
            return;
        }
        adoptAt = shared.now + settings.probeMillis();
        for (Active a : active.values()) {
            if (a.entry != null && shared.now - a.startedAt >= adoptAfter() && tracker.hasLaterThan(a.entry)) {
                adopt(a);
            }
        }
    }

    /** A key that is blocked already parks behind its head at once, so the store must have the head first. */
    private void adoptHeads() {
        for (Active a : active.values()) {
            Lane lane = a.owned && a.key != null ? lanes.find(a.key) : null;
            if (lane != null && lane.blocked && a.run.position().equals(lane.head)) {
                adopt(a);
            }
        }
    }

    private void adopt(Active a) {
        Entry entry = a.entry;
        if (a.owned && !a.adopted && entry != null && entry.tracked() && entry.mark == Mark.PENDING) {
            a.adopted = true;
            handOver(entry, new Move.Adopt());
        }
    }

    private void commit(Commands out) {
        if (!tracker.isLog()) {
            List<Entry> settled = tracker.takeSettled();
            if (!settled.isEmpty()) {
                settled.forEach(entry -> pages.acked(entry, shared.now));
                out.ack(partition, settled.stream().map(entry -> entry.sequence).toList());
            }
            return;
        }
        long prefix = tracker.prefix();
        if (mayCommit(prefix) && shared.now >= commitAt) {
            committing = prefix;
            commitAt = shared.now + settings.commitMillis();
            out.commit(partition, prefix);
        }
    }

    /** A commit below the mirror, where the broker forgot its own, would look like an operator's. */
    private boolean mayCommit(long prefix) {
        return committing < 0 && prefix > committed && prefix >= mirror;
    }

    private void mirror(Commands out) {
        if (tracker.isLog() && committed > mirrored && shared.now >= mirrorAt) {
            mirrored = committed;
            mirrorAt = shared.now + MIRROR_MILLIS;
            send(out, new StoreRequest.Committed(outbox.next(), incarnation, committed), 0);
        }
    }

    private void dropPages(Commands out) {
        if (tracker.isLog()) {
            return;
        }
        if (droppable >= 0) {
            send(out, new StoreRequest.Committed(outbox.next(), incarnation, droppable), 0);
            droppable = -1;
        }
        if (pages.toConfirm(redeliveries.isCaughtUp(), shared.now)) {
            out.confirm(partition);
        }
    }

    private void backPressure(Commands out) {
        if (!opened || phase == Phase.LEFT || phase == Phase.LEAVING) {
            return;
        }
        if (shared.now >= fullRetryAt) {
            fullRetryAt = NEVER;
            lanes.retryFull();
        }
        // A key that waits for a redelivery gets it however full others are, or all would wait for one another.
        boolean waits = !awaited.isEmpty();
        int share = paused && !waits ? 2 : 1;
        boolean full = phase != Phase.OWNED || !redeliveries.isAwaiting() && isFull(waits, share);
        if (full != paused) {
            paused = full;
            if (full) {
                out.pause(partition);
            } else {
                out.resume(partition);
            }
        }
    }

    private boolean isFull(boolean waits, int share) {
        return lanes.anyFull() && !waits
                || tracker.pending() >= shared.policy.maxInMemory() / share
                || tracker.bytes() >= shared.policy.maxBytesInMemory() / share;
    }

    /** When {@link #flush} has something to do without any event. */
    long nextTurn() {
        if (!storeUp) {
            return NEVER;
        }
        long next = active.isEmpty() || phase == Phase.OWNED || keeping != null ? NEVER : keepAt;
        return switch (phase) {
            case WAITING -> Math.min(next, retryAt);
            case CONFIRMING, ACQUIRING, LEFT -> next;
            case LEAVING -> Math.min(next, Math.min(commitTime(), settling ? Math.min(renewAt, probeTime()) : NEVER));
            case OWNED -> ownedNextTurn();
        };
    }

    private long ownedNextTurn() {
        long next = Math.min(renewAt, probeTime());
        next = Math.min(next, commitTime());
        next = Math.min(next, lanes.anyFull() ? fullRetryAt : NEVER);
        next = Math.min(next, shared.now < roomAt ? roomAt : NEVER);
        next = Math.min(next, !dueInFlight && shared.slots.any() ? Math.max(dueAt, quietUntil) : NEVER);
        next = Math.min(next, shared.now < quietUntil ? quietUntil : NEVER);
        next = Math.min(next, behindRelays.isEmpty() ? NEVER : behindUntil);
        next = Math.min(next, patrolInFlight ? NEVER : lapseAt);
        next = Math.min(next, active.isEmpty() ? NEVER : adoptAt);
        next = Math.min(next, tracker.isLog() && committed > mirrored ? mirrorAt : NEVER);
        next = Math.min(next, tracker.isLog() ? NEVER : pages.nextAt(redeliveries.isCaughtUp()));
        return next;
    }

    private long commitTime() {
        return tracker.isLog() && mayCommit(tracker.prefix()) ? commitAt : NEVER;
    }

    /** Nothing runs and no outcome waits. */
    boolean idle() {
        return active.isEmpty() && late.isEmpty() && (phase == Phase.LEFT || outcomes.isEmpty() && !proofs.waiting());
    }

    boolean forgettable() {
        return phase == Phase.LEFT && idle() && !leftWanted;
    }

    @Override
    public String toString() {
        return partition + " " + phase + " active=" + active.keySet() + " outcomes=" + outcomes + " tracker="
                + tracker.size() + " lanes=" + lanes;
    }

    /** A position that a blocked key waited for, and that will not come. */
    private record Gone(Position position, @Nullable String key) {}
}
