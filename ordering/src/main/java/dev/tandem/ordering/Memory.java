package dev.tandem.ordering;

import dev.tandem.task.DeadHead;
import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What one process holds of one partition, and the few steps that all who work on it share. */
final class Memory {

    static final long NEVER = Long.MAX_VALUE;
    static final int RENEW_BATCH = 500;
    /** So many tasks that the store offered wait here at most. */
    static final int MAX_OFFERED = 1_000;

    final Partition partition;
    final Shared shared;
    final CoreSettings settings;
    final Outbox outbox;
    final Tracker tracker;
    final Proofs proofs;
    final Late late;
    final Lanes lanes = new Lanes();
    final Redeliveries redeliveries;
    final Pages pages;
    /** What this process runs of this partition, also after the ownership that started it. */
    final Map<Position, Active> active = new HashMap<>();
    /** Outcomes to be settled. */
    final ArrayDeque<Item.Outcome> outcomes = new ArrayDeque<>();
    /** Outcomes, not yet recorded, of tasks that the broker has not delivered in this ownership; it still may. */
    final Map<Position, Item.Outcome> undelivered = new HashMap<>();
    /** Offsets that may still be delivered in this ownership, but were settled in it; with the settling request. */
    final Map<Long, Long> settledAhead = new HashMap<>();
    /** Hand-overs but parks, which lanes keep. */
    final ArrayDeque<Item.Handover> handovers = new ArrayDeque<>();

    final ArrayDeque<Gone> gone = new ArrayDeque<>();
    /** Offsets that blocked keys wait for, with their keys. */
    final TreeMap<Long, String> awaited = new TreeMap<>();

    Phase phase = Phase.LEFT;
    Source.Facts facts = Source.Facts.NONE;
    boolean confirmFirst;
    boolean opened;
    boolean openWanted;
    boolean rewindWanted;
    boolean leftWanted;
    boolean releaseSent;
    long retryAt;
    StoreRequest.@Nullable Acquire acquiring;
    long acquiredWith;
    String runId = "";
    /** Nobody else can have owned it since our last acquire, whatever the store remembers. */
    boolean continues;

    long incarnation = -1;
    long highest;
    long mirror = -1;
    long token;
    long order;
    /** What had come in before the last answered request was sent came in while this process was the owner. */
    long ownedUpTo;

    final Map<Position, StoreAnswer.Foreign> foreign = new HashMap<>();
    /** Keys that a former owner had a claim of since memory began: it may have gone on with their next, and settle them. */
    final Set<String> foreignKeys = new HashSet<>();
    /** Up to here former owners of a log may have begun tasks by relays that the store was not told of. */
    long relayedUpTo;
    /** Keyed tasks that the store offered before all that may have begun was delivered again. */
    final List<Entry> behindRelays = new ArrayList<>();
    /** They wait no longer than this: the broker may have lost what it is to deliver. */
    long behindUntil;
    /** Claimed last and not begun. If the store forgot that it has them, they go before all of their key. */
    final Set<Position> first = new HashSet<>();
    /** Claimed last and not begun, and delivered: it has its place in its lane, whether the store forgot that it has it or not. */
    final Set<Position> back = new HashSet<>();

    final Map<Long, StoreAnswer.Chunk> chunks = new HashMap<>();
    /** The pages below it are not needed any more; -1: none is to be dropped. */
    long droppable = -1;

    long nextSequence = -1;
    long committing = -1;
    long committed = -1;
    long mirrored = -1;
    long commitAt;
    long mirrorAt;
    long renewAt;
    long adoptAt;
    long dueAt = NEVER;
    boolean dueInFlight;
    long lapseAt = NEVER;
    boolean patrolInFlight;
    /** Before this nothing is claimed: the store may have forgotten what others run. */
    long quietUntil;

    long lastAnswerAt;
    long extendMillis;
    long fullRetryAt = NEVER;
    /** When hand-overs go on: the store had no room for the last ones. */
    long roomAt;

    long keepAt;
    StoreRequest.@Nullable Keep keeping;

    Memory(Partition partition, Shared shared, String writer) {
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

    @Nullable
    String keyOf(Task task) {
        return shared.policy.ordered() ? task.key() : null;
    }

    void handOver(Entry entry, Move move) {
        handOver(new Item.Handover(entry, move));
    }

    void handOver(Item.Handover handover) {
        Entry entry = handover.entry();
        handovers.addLast(handover);
        if (handover.holdsLane() && entry.key != null) {
            lanes.lane(entry.key).handing++;
        }
    }

    boolean isSettled(long bit) {
        if (bit < mirror || bit < 0 || chunks.isEmpty()) {
            return bit >= 0 && bit < mirror;
        }
        StoreAnswer.Chunk chunk = chunks.get(bit / StoreAnswer.Chunk.BITS);
        return chunk != null && chunk.has(bit);
    }

    /** It was recorded, or may have been, as one whose message is still to come. */
    static boolean isOwed(Item.Outcome ending) {
        return ending.sentIn > 0 && ending.entry().owes && !(ending.verdict() instanceof Verdict.Returned);
    }

    /** A task that this process runs was delivered again. */
    void attach(Active running, Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == running.entry) {
            lane.busy = entry;
        }
        running.entry = entry;
        running.owes = false;
    }

    void attach(Item.Outcome ending, Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == ending.entry()) {
            lane.busy = entry;
        }
        ending.attach(entry);
    }

    /**
     * Until when a lease that was asked for then is held for certain. The store counts whole milliseconds of its own, which
     * begin at another moment than ours: so its lease may end up to one earlier.
     */
    long leasedUntil(long askedAt) {
        return askedAt + settings.leaseMillis() - 1;
    }

    boolean isDeaf() {
        return shared.now - lastAnswerAt > settings.leaseMillis() / 2;
    }

    /** A task that the store will have waits in memory for its turn, where it was before it was claimed. */
    void waitInPlace(Entry entry) {
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

    boolean owes(Entry entry) {
        boolean mayCome = !entry.tracked() && Redeliveries.isNamed(entry.position);
        if (mayCome) {
            entry.owes = true;
            if (shared.recalls == null) {
                redeliveries.mayCome(entry.position);
            }
        }
        return mayCome;
    }

    static boolean blocks(Verdict verdict) {
        return verdict instanceof Verdict.Retry
                || verdict instanceof Verdict.Dead dead && dead.deadHead() == DeadHead.HALT;
    }

    /** The offset of a position of this incarnation; -1 for any other. */
    long offsetOf(Position position) {
        String prefix = incarnation + ":";
        return tracker.isLog() && position.text().startsWith(prefix)
                ? Long.parseLong(
                        position.text(), prefix.length(), position.text().length(), 10)
                : -1;
    }

    /** What lies below was delivered, or is not going to be. */
    long passed() {
        return Math.max(nextSequence, Math.max(committed, facts.logStart()));
    }

    void requeue(Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = null;
        }
        lanes.reenter(entry);
    }

    static boolean isAdoption(@Nullable Item item) {
        return item instanceof Item.Handover handover && handover.move() instanceof Move.Adopt;
    }

    /** A run that ended before its adoption was sent needs none. */
    void withdrawAdoption(Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (handovers.removeIf(handover -> handover.entry() == entry) && lane != null) {
            lane.handing--;
            lanes.touch(lane);
        }
    }

    static Entry endedEntry(Run run, @Nullable String key) {
        return new Entry(run.position(), key, -1, run.sequence(), 0, run.task(), null, run.attempt() - 1, true);
    }

    static byte[] envelope(Run run, @Nullable String error) {
        return new Envelope(run.task(), run.attempt(), run.token(), error).encode();
    }

    /** A returned task of the store is due at once, and comes by that, unless it has a place in a hot lane to keep. */
    boolean comesBackByItself(Entry entry) {
        Lane lane = lanes.find(entry.key);
        return entry.held && (lane == null || entry.position.equals(lane.head));
    }

    Entry fromStore(Position position, byte[] bytes) {
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

    void free(Entry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = null;
            lanes.touch(lane);
        }
    }

    boolean isHere(Position offered) {
        boolean waits =
                lanes.isOffered(offered) || behindRelays.stream().anyMatch(entry -> entry.position.equals(offered));
        return waits || active.containsKey(offered);
    }

    long after(long millis) {
        return millis < 0 ? NEVER : shared.now + millis;
    }

    long adoptAfter() {
        return Math.max(settings.horizonMillis(), settings.probeMillis());
    }

    void send(Commands out, StoreRequest.Numbered request, int slots) {
        outbox.sent(Outbox.Sent.plain(request, slots, shared.now, order));
        out.send(request);
    }

    boolean isFull(boolean waits, int share) {
        return lanes.anyFull() && !waits
                || tracker.pending() >= shared.policy.maxInMemory() / share
                || tracker.bytes() >= shared.policy.maxBytesInMemory() / share;
    }

    /** A position that a blocked key waited for, and that will not come. */
    record Gone(Position position, @Nullable String key) {}
}
