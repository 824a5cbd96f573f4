package dev.tandem.ordering;

import dev.tandem.ordering.Entry.Mark;
import dev.tandem.ordering.Memory.Gone;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreAnswer.HandCode;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the store answers to the requests of an owner, and what follows from it. */
final class Answers {

    private final Memory m;
    private final Runs runs;
    private final Judge judge;
    private final Breaks breaks;
    private final Waits waits;
    private final Takeover takeover;

    Answers(Memory m, Runs runs, Judge judge, Breaks breaks, Waits waits, Takeover takeover) {
        this.m = m;
        this.runs = runs;
        this.judge = judge;
        this.breaks = breaks;
        this.waits = waits;
        this.takeover = takeover;
    }

    void answered(StoreRequest request, StoreAnswer answer) {
        if (request instanceof StoreRequest.Late done) {
            m.late.answered(done, m.phase == Phase.LEFT || m.phase == Phase.WAITING || m.phase == Phase.CONFIRMING);
        } else if (request instanceof StoreRequest.Keep keep) {
            if (keep == m.keeping && answer instanceof StoreAnswer.Kept kept) {
                m.keeping = null;
                runs.kept(keep.positions(), kept.lost());
            }
        } else if (request instanceof StoreRequest.Acquire asked) {
            if (asked == m.acquiring) {
                m.acquiring = null;
                acquireAnswered(answer);
            }
        } else if (request instanceof StoreRequest.Numbered numbered) {
            numberedAnswered(numbered, answer);
        }
    }

    private void numberedAnswered(StoreRequest.Numbered request, StoreAnswer answer) {
        if (m.phase != Phase.OWNED && m.phase != Phase.LEAVING || !m.outbox.isCurrent(request.line())) {
            return;
        }
        if (answer instanceof StoreAnswer.Fenced) {
            breaks.fenced();
            return;
        }
        if (answer instanceof StoreAnswer.Gap || answer instanceof StoreAnswer.Applied) {
            if (m.shared.keeps(Rule.HEED_LOST)) {
                breaks.recover();
                return;
            }
            Outbox.Sent ignored = m.outbox.answered(request);
            if (ignored != null) {
                breaks.takeBack(ignored);
                breaks.returnedBy(ignored).forEach(breaks::backInPlace);
            }
            return;
        }
        Outbox.Sent sent = m.outbox.answered(request);
        if (sent == null) {
            return;
        }
        noteAnswer();
        if (request instanceof StoreRequest.Step || request instanceof StoreRequest.Hand) {
            // The store has noted the high-water mark of then.
            m.ownedUpTo = sent.order();
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
        if (m.isDeaf()) {
            m.extendMillis = m.settings.leaseMillis();
        }
        m.lastAnswerAt = m.shared.now;
    }

    private void acquireAnswered(StoreAnswer answer) {
        if (answer instanceof StoreAnswer.Acquired acquired) {
            takeover.acquired(acquired);
            return;
        }
        if (m.opened && !m.tracker.isLog()) {
            // Its new owner needs the messages that our channel has.
            breaks.leave();
            return;
        }
        m.phase = Phase.WAITING;
        m.confirmFirst = true;
        long wait = answer instanceof StoreAnswer.Refused refused ? refused.remainingMillis() : Memory.NEVER;
        m.retryAt = m.shared.now + Math.max(1, Math.min(wait, m.settings.retryMillis()));
    }

    private void stepped(Outbox.Sent sent, StoreAnswer.Stepped answer) {
        StoreRequest.Step step = (StoreRequest.Step) sent.request();
        for (int i = 0; i < sent.outcomes().size(); i++) {
            Item.Outcome outcome = sent.outcomes().get(i);
            long nextToken = step.settles().get(i).nextToken();
            StoreAnswer.Settled code = answer.settles().get(i);
            if (nextToken != 0 && !(code instanceof StoreAnswer.Settled.Next)) {
                m.shared.slots.give(1);
            }
            if (outcome.isRelayed()) {
                Lane lane = m.lanes.find(outcome.entry().key);
                if (lane != null && lane.ahead > 0) {
                    lane.ahead--;
                    m.lanes.touch(lane);
                }
            }
            if (outcome.then != null) {
                runs.relayAnswered(outcome, outcome.then, code instanceof StoreAnswer.Settled.Ok, sent.sentAt());
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
            m.tracker.mark(entry, Mark.DONE, number);
        } else if (outcome.verdict() instanceof Verdict.Returned) {
            if (m.comesBackByItself(entry)) {
                m.dueAt = Math.min(m.dueAt, m.shared.now);
                if (entry.tracked() && entry.mark == Mark.PENDING && m.phase == Phase.OWNED) {
                    // What comes back has no delivery; the store says of this one that it is settled.
                    m.handOver(entry, new Move.Adopt());
                } else if (entry.key != null && m.tracker.isLog() && !entry.tracked()) {
                    // The store may have its claim only, and forgot that it had more.
                    waits.awaitHead(entry.key);
                }
            } else if (m.phase == Phase.OWNED) {
                m.requeue(entry);
            }
        } else {
            m.tracker.mark(entry, Mark.HANDED, number);
            if (outcome.verdict() instanceof Verdict.Retry retry) {
                m.dueAt = Math.min(m.dueAt, m.shared.now + retry.delayMillis());
            }
        }
        if (outcome.movesCustody()) {
            m.outbox.hold(outcome, number);
            m.proofs.answered(number, m.shared.now);
        }
        Lane lane = m.lanes.find(entry.key);
        if (lane != null && nowOpen) {
            lane.open();
            m.lanes.touch(lane);
        }
    }

    private void noLongerUndelivered(Item.Outcome outcome, long number) {
        Entry entry = outcome.entry();
        if (!entry.tracked()) {
            m.undelivered.remove(entry.position);
            if (m.tracker.isLog() && entry.bit >= m.nextSequence && !(outcome.verdict() instanceof Verdict.Returned)) {
                m.settledAhead.put(entry.bit, number);
            }
        }
    }

    private void startNext(StoreAnswer.Settled.Next next, long nextToken, long sentAt) {
        Entry entry = m.fromStore(next.position(), next.envelope());
        if (entry.key != null) {
            m.lanes.lane(entry.key).block(entry.position);
        }
        runs.start(entry, nextToken, next.lapses(), sentAt);
    }

    /** Another token has the position: this outcome counts for nothing. What the position's state is, a claim tells. */
    private void refused(Item.Outcome outcome) {
        Entry entry = outcome.entry();
        m.undelivered.remove(entry.position);
        if (!m.tracker.isLog() && outcome.sentAgain && outcome.verdict() instanceof Verdict.Success) {
            // No bit tells that it was recorded the first time. While our channel has its message, nobody else can have
            // taken its claim.
            m.tracker.mark(entry, Mark.DONE, 0);
            m.free(entry);
        } else if (entry.tracked() && entry.mark == Mark.PENDING && m.phase == Phase.OWNED) {
            entry.doubtful = true;
            m.requeue(entry);
        }
    }

    private void claimed(Entry entry, long claimToken, StoreAnswer.Claimed code, long sentAt) {
        m.lanes.claimAnswered(entry);
        if (code instanceof StoreAnswer.Claimed.Ok ok) {
            m.lanes.forgetOffered(entry);
            runs.start(entry, claimToken, ok.lapses(), sentAt);
            return;
        }
        m.shared.slots.give(1);
        if (code instanceof StoreAnswer.Claimed.KeyBlocked blocked) {
            if (entry.key != null) {
                m.lanes.lane(entry.key).block(blocked.head());
            }
            m.requeue(entry);
            return;
        }
        m.lanes.forgetOffered(entry);
        if (entry.tracked()) {
            // The store knows more of it than we do. Its lane waits for what that is.
            m.handOver(entry, new Move.Adopt());
        } else {
            m.free(entry);
        }
    }

    private void handed(Outbox.Sent sent, StoreAnswer.Handed answer) {
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        if (answer.codes().contains(HandCode.NO_ROOM)) {
            noRoom(sent.handovers());
            return;
        }
        for (int i = 0; i < sent.handovers().size(); i++) {
            Item.Handover handover = sent.handovers().get(i);
            Entry entry = handover.entry();
            HandCode code = answer.codes().get(i);
            Lane lane = handover.holdsLane() ? m.lanes.find(entry.key) : null;
            if (lane != null) {
                lane.handing--;
            }
            switch (code) {
                case OK -> handedOver(handover, sent.number());
                case DONE -> {
                    if (entry.maybeTwin && entry.mark == Mark.PENDING) {
                        judge.judge(judge.asAnother(entry));
                        break;
                    }
                    m.lanes.forgetOffered(entry);
                    if (handover.parks() && !entry.tracked()) {
                        m.outbox.hold(handover, sent.number());
                    }
                    m.tracker.mark(entry, Mark.JUDGED, sent.number());
                    m.proofs.answered(sent.number(), m.shared.now);
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
                        m.lanes.full(lane);
                        lane.add(entry);
                        m.fullRetryAt = m.shared.now + m.settings.retryMillis();
                    }
                }
                case GONE -> {
                    boolean here = m.tracker.isLog() || entry.tracked();
                    if (here && entry.mark == Mark.PENDING && !m.active.containsKey(entry.position)) {
                        m.foreign.remove(entry.position);
                        entry.held = false;
                        entry.adoptFirst = false;
                        if (!m.tracker.isLog() && m.redeliveries.isRemembered(entry)) {
                            // An earlier request that settled it had no answer.
                            m.pages.keepFor(entry, m.shared.now);
                            m.tracker.mark(entry, Mark.JUDGED, m.acquiredWith);
                            if (entry.key != null) {
                                m.gone.addLast(new Gone(entry.position, entry.key));
                            }
                        } else if (entry.unreadable != null) {
                            m.handOver(entry, new Move.Bury());
                        } else if (!entry.matched && entry.requireTask().notBefore() > m.shared.wall) {
                            m.handOver(
                                    entry, new Move.Schedule(entry.requireTask().notBefore()));
                        } else {
                            m.requeue(entry);
                        }
                    }
                }
                case NO_ROOM -> throw new IllegalStateException("No room for some of them");
            }
            if (lane != null) {
                m.lanes.touch(lane);
            }
        }
    }

    /**
     * All are tried again, and their lanes go on waiting; but for runs that have ended meanwhile. What was to be parked
     * goes back to its lane, so that no two requests carry tasks of one key, of which the later one may find room.
     */
    private void noRoom(List<Item.Handover> refused) {
        m.roomAt = m.shared.now + m.settings.retryMillis();
        Set<Position> ended = new HashSet<>();
        m.outcomes.forEach(outcome -> ended.add(outcome.position()));
        m.outbox.pending().forEach(sent -> sent.outcomes().forEach(outcome -> ended.add(outcome.position())));
        for (int i = refused.size() - 1; i >= 0; i--) {
            Item.Handover handover = refused.get(i);
            Lane lane = handover.parks() ? m.lanes.find(handover.entry().key) : null;
            if (lane != null) {
                lane.handing--;
                lane.add(handover.entry());
                m.lanes.touch(lane);
                continue;
            }
            m.handovers.addFirst(handover);
            if (ended.contains(handover.position())) {
                m.withdrawAdoption(handover.entry());
            }
        }
    }

    private void handedOver(Item.Handover handover, long number) {
        Entry entry = handover.entry();
        if (entry.maybeTwin) {
            // Its message came.
            Active running = m.active.get(entry.position);
            if (running != null) {
                running.owes = false;
                if (running.entry != null) {
                    running.entry.owes = false;
                }
            }
        }
        m.lanes.forgetOffered(entry);
        entry.held = true;
        m.tracker.mark(entry, Mark.HANDED, number);
        m.outbox.hold(handover, number);
        m.proofs.answered(number, m.shared.now);
        afterAdoption(handover, true);
    }

    /** The key of a task under a claim that the store holds is blocked by it. */
    private void afterAdoption(Item.Handover handover, boolean moved) {
        if (!(handover.move() instanceof Move.Adopt)) {
            return;
        }
        Entry entry = handover.entry();
        boolean runs = m.active.containsKey(entry.position);
        // If it is still ours, what was done is that the store has it.
        entry.held = true;
        if (entry.key == null) {
            return;
        }
        if (moved || runs || m.foreign.containsKey(entry.position)) {
            Lane lane = m.lanes.lane(entry.key);
            lane.block(entry.position);
            m.lanes.touch(lane);
        }
        if (!runs) {
            m.free(entry);
        }
    }

    private void due(Outbox.Sent sent, StoreAnswer.DueTasks answer) {
        m.dueInFlight = false;
        m.dueAt = answer.more() ? m.shared.now : m.after(answer.nextDueMillis());
        m.shared.slots.give(sent.slots() - answer.claimed().size());
        for (StoreAnswer.DueTask task : answer.claimed()) {
            Entry entry = m.fromStore(task.position(), task.envelope());
            if (entry.key != null) {
                m.lanes.lane(entry.key).block(entry.position);
            }
            runs.start(entry, task.token(), task.lapses(), sent.sentAt());
        }
        for (StoreAnswer.DueTask task : answer.offered()) {
            if (!m.isHere(task.position())) {
                waits.offered(m.fromStore(task.position(), task.envelope()));
            }
        }
    }

    private void renewed(Outbox.Sent sent, StoreAnswer.Renewed answer) {
        if (!answer.runId().equals(m.runId)) {
            breaks.recover();
            return;
        }
        StoreRequest.Renew renew = (StoreRequest.Renew) sent.request();
        runs.renew(renew.positions(), answer.lost(), sent.sentAt());
        if (renew.positions().isEmpty() && answer.durable()) {
            proven(m.proofs.proven(sent.sentAt()));
        }
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        m.lapseAt = m.after(answer.nextLapseMillis());
        if (!answer.opened().isEmpty()) {
            m.lanes.retryFull();
            answer.opened().forEach(waits::awaitHead);
            waits.giveUpAwaited();
        }
    }

    private void proven(long upTo) {
        if (upTo > 0) {
            m.tracker.proven(upTo);
            for (Item item : m.outbox.proven(upTo)) {
                if (item.entry().number <= upTo) {
                    m.tracker.letGo(item.entry());
                }
            }
        }
    }

    private void patrolled(StoreAnswer.Patrolled answer) {
        m.patrolInFlight = false;
        m.lapseAt = m.after(answer.nextLapseMillis());
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        answer.waiting().forEach(waits::block);
        waits.giveUpAwaited();
    }

    private void ok(Outbox.Sent sent, StoreAnswer.Ok answer) {
        m.dueAt = Math.min(m.dueAt, m.after(answer.nextDueMillis()));
        if (sent.request() instanceof StoreRequest.Release) {
            breaks.leave();
        } else if (sent.request() instanceof StoreRequest.Gone went) {
            Lane lane = m.lanes.find(went.key());
            if (lane != null && went.position().equals(lane.head)) {
                lane.open();
                m.lanes.touch(lane);
            }
        }
    }
}
