package dev.tandem.ordering;

import dev.tandem.ordering.TaskEntry.DeliveryState;
import dev.tandem.task.DeadHead;
import dev.tandem.task.Outcome;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Starts tasks under their claims, turns their ends into outcomes, and relays a claim to the next of its key. */
final class RunLifecycle {

    /** So many outcomes of a key may wait for their answer while its next tasks run: what may run again after a crash. */
    private static final int MAX_AHEAD = 32;
    /** So many tasks of a key run in a row while other keys wait for a slot. */
    private static final int RELAYS_BESIDE_OTHERS = 16;

    private static final long SAMPLE_MILLIS = 1_000;
    /** With all that a store keeps of them, samples must stay small beside what it is there for. */
    private static final int MAX_SAMPLE_BYTES = 4_096;

    private long sampleAt = Long.MIN_VALUE;
    private long keepSentAt;
    private final PartitionState m;

    RunLifecycle(PartitionState m) {
        this.m = m;
    }

    void start(TaskEntry entry, long claimToken, int lapses, long sentAt) {
        Run run = new Run(
                m.partition,
                entry.position,
                entry.requireTask(),
                claimToken,
                entry.attempts + lapses + 1,
                lapses,
                entry.bit,
                m.leasedUntil(sentAt));
        ActiveRun a = new ActiveRun(run, entry.key, m.shared.now, entry);
        m.active.put(entry.position, a);
        if (entry.key != null) {
            m.lanes.lane(entry.key).busy = entry;
        }
        if (m.phase == OwnershipPhase.OWNED) {
            m.shared.starts.add(run);
        } else {
            finished(run, Outcome.NotStarted.INSTANCE);
        }
    }

    void finished(Run run, Outcome outcome) {
        m.shared.slots.give(1);
        ActiveRun found = m.active.get(run.position());
        ActiveRun a = found != null && found.run == run ? found : null;
        if (a != null) {
            m.active.remove(run.position());
        }
        String key = m.keyOf(run.task());
        TaskEntry entry = a != null && a.entry != null ? a.entry : PartitionState.endedEntry(run, key);
        boolean deliveryEnds = entry.task == null || entry.tracked() && entry.mark != DeliveryState.PENDING;
        if (deliveryEnds && outcome instanceof Outcome.NotStarted) {
            entry = withItsTask(entry, run);
        }
        entry.owes |= a != null && a.owes;
        PendingItem.Outcome ended =
                new PendingItem.Outcome(entry, run.token(), run.attempt(), verdict(run, key, outcome));
        if (a != null && (a.owned || mayBeOursAgain())) {
            m.withdrawAdoption(entry);
            m.outcomes.addLast(ended);
            ended.after = a.after;
            Lane lane = m.lanes.find(entry.key);
            if (lane != null && mayRelay(a, lane, ended)) {
                relay(a, lane, ended);
            }
            if (lane != null && ended.isRelayed()) {
                lane.ahead++;
            }
            if (!entry.tracked() && (m.tracker.isLog() || entry.owes)) {
                m.undelivered.put(entry.position, ended);
            }
        } else {
            m.late.add(ended, m.incarnation);
        }
    }

    /** Its claim may be given back with the next ownership. A log's outcome does not wait for the broker to say whether that comes. */
    private boolean mayBeOursAgain() {
        return !m.tracker.isLog()
                && (m.phase == OwnershipPhase.WAITING
                        || m.phase == OwnershipPhase.CONFIRMING
                        || m.phase == OwnershipPhase.ACQUIRING);
    }

    private boolean mayRelay(ActiveRun a, Lane lane, PendingItem.Outcome ended) {
        TaskEntry entry = ended.entry();
        boolean sound = ended.verdict() instanceof Verdict.Success
                && a.run.attempt() == entry.attempts + 1
                && !entry.inStore
                && m.phase == OwnershipPhase.OWNED
                && m.outbox.resend().isEmpty()
                && m.shared.now >= m.quietUntil
                && a.run.leaseUntil() - m.shared.now >= m.settings.leaseMillis() / 4;
        if (!sound || lane.busy != entry || lane.blocked || lane.handing > 0) {
            return false;
        }
        TaskEntry next = lane.queue.peekFirst();
        boolean others = m.lanes.hasReady() && a.relays >= RELAYS_BESIDE_OTHERS;
        return next != null
                && next.tracked()
                && !next.inStore
                && next.order <= m.ownedUpTo
                && !m.foreignKeys.contains(next.key)
                && !m.late.mayHaveSettled(next.position)
                && lane.ahead < MAX_AHEAD
                && !others
                && m.shared.slots.take();
    }

    /** The key's next task starts under the claim that the ended one still holds; its outcome brings the claim of the next. */
    private void relay(ActiveRun a, Lane lane, PendingItem.Outcome ended) {
        TaskEntry next = lane.queue.removeFirst();

        lane.busy = next;
        ended.then = new StoreRequest.Claim(next.position, ++m.token, next.key, false);
        Run run = new Run(
                m.partition,
                next.position,
                next.requireTask(),
                m.token,
                next.attempts + 1,
                0,
                next.bit,
                a.run.leaseUntil());
        ActiveRun relayed = new ActiveRun(run, next.key, m.shared.now, next);
        relayed.broughtBy = ended;
        relayed.after = ended.token();
        relayed.relays = a.relays + 1;
        m.active.put(next.position, relayed);
        m.shared.starts.add(run);
    }

    /** What the outcome says of the claim that it brought. */
    void relayAnswered(PendingItem.Outcome outcome, StoreRequest.Claim then, boolean recorded, long sentAt) {
        ActiveRun a = m.active.get(then.position());
        if (a != null && a.broughtBy == outcome) {
            a.broughtBy = null;
            if (recorded) {
                a.run.renewedUntil(m.leasedUntil(sentAt));
            }
        }
    }

    /** Its delivery is let go of, now or soon, as the store has the task; but it waits for its turn again. */
    private TaskEntry withItsTask(TaskEntry entry, Run run) {
        TaskEntry waiting = PartitionState.endedEntry(run, entry.key);
        waiting.order = entry.order;
        Lane lane = m.lanes.find(entry.key);
        if (lane != null && lane.busy == entry) {
            lane.busy = waiting;
        }
        return waiting;
    }

    private Verdict verdict(Run run, @Nullable String key, Outcome outcome) {
        if (outcome instanceof Outcome.Retry retry) {
            return new Verdict.Retry(retry.delayMillis(), PartitionState.envelope(run, retry.error()));
        }
        if (outcome instanceof Outcome.Dead dead) {
            return new Verdict.Dead(
                    key == null ? DeadHead.SKIP : m.shared.policy.deadHead(),
                    PartitionState.envelope(run, dead.error()));
        }
        return outcome instanceof Outcome.NotStarted ? new Verdict.Returned() : new Verdict.Success(sample(run));
    }

    /** Of the successes a small one a second is kept to be looked at; all are counted. */
    private byte @Nullable [] sample(Run run) {
        if (m.shared.now < sampleAt || run.task().weight() > MAX_SAMPLE_BYTES) {
            return null;
        }
        sampleAt = m.shared.now + SAMPLE_MILLIS;
        return PartitionState.envelope(run, null);
    }

    /**
     * A lease that had run out when it was asked for is none any more, whatever the store says: it may have forgotten
     * who had the key since.
     */
    void kept(List<Position> positions, List<Position> lost) {
        List<Position> inTime = new ArrayList<>(positions);
        inTime.removeIf(position -> {
            ActiveRun a = m.active.get(position);
            return a == null || a.run.leaseUntil() < keepSentAt && !lost.contains(position);
        });
        renew(inTime, lost, keepSentAt);
    }

    void renew(List<Position> positions, List<Position> lost, long sentAt) {
        Set<Position> gonePositions = Set.copyOf(lost);
        for (Position position : positions) {
            ActiveRun a = m.active.get(position);
            if (a != null) {
                if (gonePositions.contains(position)) {
                    a.run.lost(m.shared.now);
                } else {
                    a.run.renewedUntil(m.leasedUntil(sentAt));
                }
            }
        }
    }

    /** Runs whose ownership is in doubt or over keep their claims by token. */
    void keep(Commands out) {
        boolean renewedOtherwise = m.phase == OwnershipPhase.OWNED;
        if (renewedOtherwise || m.active.isEmpty() || m.keeping != null || m.shared.now < m.keepAt) {
            return;
        }
        m.keepAt = m.shared.now + m.settings.renewMillis();
        keepSentAt = m.shared.now;
        List<ActiveRun> runs =
                m.active.values().stream().limit(PartitionState.RENEW_BATCH).toList();
        m.keeping = new StoreRequest.KeepClaims(
                m.partition,
                m.settings.leaseMillis(),
                runs.stream().map(a -> a.run.position()).toList(),
                runs.stream().mapToLong(a -> a.run.token()).toArray());
        out.send(m.keeping);
    }
}
