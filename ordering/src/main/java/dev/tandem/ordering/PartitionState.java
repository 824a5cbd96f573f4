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
final class PartitionState {

    static final long NEVER = Long.MAX_VALUE;
    static final int RENEW_BATCH = 500;
    /** So many tasks that the store offered wait here at most. */
    static final int MAX_OFFERED = 1_000;

    final Partition partition;
    final QueueContext shared;
    final CoreSettings settings;
    final RequestLog outbox;
    final DeliveryTracker tracker;
    final DurabilityTracker proofs;
    final LateOutcomes late;
    final Lanes lanes = new Lanes();
    final RedeliveryMatcher redeliveries;
    final IdentityPages pages;
    /** What this process runs of this partition, also after the ownership that started it. */
    final Map<Position, ActiveRun> active = new HashMap<>();
    /** Outcomes to be settled. */
    final ArrayDeque<PendingItem.Outcome> outcomes = new ArrayDeque<>();
    /** Outcomes, not yet recorded, of tasks that the broker has not delivered in this ownership; it still may. */
    final Map<Position, PendingItem.Outcome> undelivered = new HashMap<>();
    /** Offsets that may still be delivered in this ownership, but were settled in it; with the settling request. */
    final Map<Long, Long> settledAhead = new HashMap<>();
    /** Hand-overs but parks, which lanes keep. */
    final ArrayDeque<PendingItem.Handover> handovers = new ArrayDeque<>();

    final ArrayDeque<GonePosition> gone = new ArrayDeque<>();
    /** Offsets that blocked keys wait for, with their keys. */
    final TreeMap<Long, String> awaited = new TreeMap<>();

    OwnershipPhase phase = OwnershipPhase.LEFT;
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
    long storedCommit = -1;
    long token;
    long order;
    /** What had come in before the last answered request was sent came in while this process was the owner. */
    long ownedUpTo;

    final Map<Position, StoreAnswer.OtherClaim> otherClaims = new HashMap<>();
    /** Keys that a former owner had a claim of since memory began: it may have gone on with their next, and settle them. */
    final Set<String> foreignKeys = new HashSet<>();
    /** Up to here former owners of a log may have begun tasks by relays that the store was not told of. */
    long relayedUpTo;
    /** Keyed tasks that the store offered before all that may have begun was delivered again. */
    final List<TaskEntry> behindRelays = new ArrayList<>();
    /** They wait no longer than this: the broker may have lost what it is to deliver. */
    long behindUntil;
    /** Claimed last and not begun. If the store forgot that it has them, they go before all of their key. */
    final Set<Position> first = new HashSet<>();
    /** Claimed last and not begun, and delivered: it has its place in its lane, whether the store forgot that it has it or not. */
    final Set<Position> back = new HashSet<>();

    final Map<Long, StoreAnswer.SettledChunk> chunks = new HashMap<>();
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
    StoreRequest.@Nullable KeepClaims keeping;

    PartitionState(Partition partition, QueueContext shared, String writer) {
        this.partition = partition;
        this.shared = shared;
        this.settings = shared.settings;
        this.outbox = new RequestLog(partition, writer);
        this.tracker = DeliveryTracker.of(shared.kind);
        this.proofs = new DurabilityTracker(settings.horizonMillis());
        this.late = new LateOutcomes(partition);
        this.redeliveries = new RedeliveryMatcher();
        this.pages = new IdentityPages(settings.leaseMillis(), 3 * settings.leaseMillis());
    }

    @Nullable
    String keyOf(Task task) {
        return shared.policy.ordered() ? task.key() : null;
    }

    void handOver(TaskEntry entry, Move move) {
        handOver(new PendingItem.Handover(entry, move));
    }

    void handOver(PendingItem.Handover handover) {
        TaskEntry entry = handover.entry();
        handovers.addLast(handover);
        if (handover.holdsLane() && entry.key != null) {
            lanes.lane(entry.key).handing++;
        }
    }

    boolean isSettled(long bit) {
        if (bit < storedCommit || bit < 0 || chunks.isEmpty()) {
            return bit >= 0 && bit < storedCommit;
        }
        StoreAnswer.SettledChunk chunk = chunks.get(bit / StoreAnswer.SettledChunk.BITS);
        return chunk != null && chunk.has(bit);
    }

    /** It was recorded, or may have been, as one whose message is still to come. */
    static boolean isOwed(PendingItem.Outcome ending) {
        return ending.sentIn > 0 && ending.entry().owes && !(ending.verdict() instanceof Verdict.Returned);
    }

    /** A task that this process runs was delivered again. */
    void attach(ActiveRun running, TaskEntry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == running.entry) {
            lane.busy = entry;
        }
        running.entry = entry;
        running.owes = false;
    }

    void attach(PendingItem.Outcome ending, TaskEntry entry) {
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
    void waitInPlace(TaskEntry entry) {
        if (entry.key == null) {
            return;
        }
        requeue(new TaskEntry(
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

    boolean owes(TaskEntry entry) {
        boolean mayCome = !entry.tracked() && RedeliveryMatcher.isNamed(entry.position);
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

    void requeue(TaskEntry entry) {
        Lane lane = lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = null;
        }
        lanes.reenter(entry);
    }

    static boolean isAdoption(@Nullable PendingItem item) {
        return item instanceof PendingItem.Handover handover && handover.move() instanceof Move.Adopt;
    }

    /** A run that ended before its adoption was sent needs none. */
    void withdrawAdoption(TaskEntry entry) {
        Lane lane = lanes.find(entry.key);
        if (handovers.removeIf(handover -> handover.entry() == entry) && lane != null) {
            lane.handing--;
            lanes.touch(lane);
        }
    }

    static TaskEntry endedEntry(Run run, @Nullable String key) {
        return new TaskEntry(run.position(), key, -1, run.sequence(), 0, run.task(), null, run.attempt() - 1, true);
    }

    static byte[] envelope(Run run, @Nullable String error) {
        return new Envelope(run.task(), run.attempt(), run.token(), error).encode();
    }

    /** A returned task of the store is due at once, and comes by that, unless it has a place in a hot lane to keep. */
    boolean comesBackByItself(TaskEntry entry) {
        Lane lane = lanes.find(entry.key);
        return entry.inStore && (lane == null || entry.position.equals(lane.head));
    }

    TaskEntry fromStore(Position position, byte[] bytes) {
        Envelope envelope = Envelope.decode(partition.queue(), bytes);
        long offset = offsetOf(position);
        return new TaskEntry(
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

    void free(TaskEntry entry) {
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

    void send(Commands out, StoreRequest.OwnerRequest request, int slots) {
        outbox.sent(RequestLog.Sent.plain(request, slots, shared.now, order));
        out.send(request);
    }

    boolean isFull(boolean waits, int share) {
        return lanes.anyFull() && !waits
                || tracker.pending() >= shared.policy.maxInMemory() / share
                || tracker.bytes() >= shared.policy.maxBytesInMemory() / share;
    }

    /** A position that a blocked key waited for, and that will not come. */
    record GonePosition(Position position, @Nullable String key) {}
}
