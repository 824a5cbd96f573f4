package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Recall;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.ReadLines;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.SettledMark;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Verdict;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Digest of everything the cores of one history do: every command in order, and every run that begins. It does not depend
 * on the names of classes or fields, so a refactoring that keeps the behaviour keeps the digest.
 *
 * <p>The hash is 64-bit FNV-1a over longs, finished with the mixer of MurmurHash3.
 */
final class BehaviourDigest {

    private static final long FNV_OFFSET = 0xcbf29ce484222325L;
    private static final long FNV_PRIME = 0x100000001b3L;

    private long hash = FNV_OFFSET;

    /** The digest so far. */
    long value() {
        return mix(hash);
    }

    static long mix(long value) {
        long h = value;
        h = (h ^ h >>> 33) * 0xff51afd7ed558ccdL;
        h = (h ^ h >>> 33) * 0xc4ceb9fe1a85ec53L;
        return h ^ h >>> 33;
    }

    /** Passes commands on to {@code to} and adds each of them to this digest. */
    Commands watching(Commands to, String process) {
        return new Watched(to, process);
    }

    void begins(Run run) {
        add(1);
        add(run.position());
        add(run.token());
        add(run.attempt());
    }

    private void add(long value) {
        hash = (hash ^ value) * FNV_PRIME;
        hash ^= hash >>> 32;
    }

    private void add(boolean value) {
        add(value ? 1 : 0);
    }

    private void add(@Nullable String text) {
        add(text == null ? -1 : text.hashCode());
    }

    private void add(Position position) {
        add(position.text());
    }

    private void add(byte @Nullable [] bytes) {
        add(bytes == null ? -1 : Arrays.hashCode(bytes));
    }

    private void add(SettledMark mark) {
        if (mark instanceof SettledMark.Offset offset) {
            add(offset.offset());
        } else if (mark instanceof SettledMark.OnPage page) {
            add(page.number());
        } else {
            add(mark == SettledMark.NONE ? -1 : -2);
        }
    }

    private void add(Incarnation incarnation) {
        add(incarnation instanceof Incarnation.OfLog log ? log.number() : -1);
    }

    private void add(RequestHeader header) {
        add(header.writer());
        add(header.number());
        add(header.epoch());
    }

    private void add(List<Position> positions, long[] tokens) {
        add(positions.size());
        positions.forEach(this::add);
        for (long token : tokens) {
            add(token);
        }
    }

    private void add(StoreRequest request) {
        add(request.partition().name());
        if (request instanceof StoreRequest.OwnerRequest numbered) {
            add(numbered.header());
            addContent(numbered);
        } else if (request instanceof StoreRequest.SettleLate late) {
            add(19);
            add(late.incarnation());
            add(late.settle());
        } else if (request instanceof StoreRequest.KeepClaims keep) {
            add(20);
            add(keep.leaseMillis());
            add(keep.positions(), keep.tokens());
        } else if (request instanceof StoreRequest.ListKnownPositions) {
            add(21);
        } else if (request instanceof StoreRequest.ForwardRedeliveries forward) {
            add(22);
            add(forward.asker());
            add(forward.notBeforeMillis());
            forward.messages().forEach(message -> {
                add(message.position());
                add(message.envelope());
            });
        } else {
            throw new IllegalStateException("The digest does not know " + request);
        }
    }

    private void addContent(StoreRequest.OwnerRequest request) {
        if (request instanceof StoreRequest.Acquire acquire) {
            add(10);
            add(acquire.executor());
            add(acquire.leaseMillis());
            add(acquire.generation());
            add(acquire.sourceId());
            add(acquire.committed());
            if (acquire.cut() != StoreRequest.Acquire.NO_CUT) {
                add(acquire.cut());
                add(acquire.cutOf());
            }
            acquire.presented().forEach(this::add);
        } else if (request instanceof StoreRequest.SettleAndClaim step) {
            add(11);
            add(step.leaseMillis());
            add(step.incarnation());
            add(step.highWater());
            add(step.settles().size());
            step.settles().forEach(this::add);
            step.claims().forEach(this::add);
        } else if (request instanceof StoreRequest.TakeCustody custody) {
            add(12);
            add(custody.incarnation());
            add(custody.highWater());
            add(custody.maxParkedPerKey());
            add(custody.maxParkedPerPartition());
            custody.entries().forEach(this::add);
        } else if (request instanceof StoreRequest.ClaimDue due) {
            add(13);
            add(due.leaseMillis());
            add(due.maxClaims());
            add(due.maxOffers());
            add(due.firstToken());
            add(due.ordered());
            add(due.maxAhead());
            List<String> busy = due.busyKeys();
            add(busy == null ? -1 : busy.size());
            if (busy != null) {
                busy.forEach(this::add);
            }
        } else {
            addUpkeep(request);
        }
    }

    /** Requests that keep an ownership up, or end it. */
    private void addUpkeep(StoreRequest.OwnerRequest request) {
        if (request instanceof StoreRequest.RenewLeases renew) {
            add(14);
            add(renew.leaseMillis());
            add(renew.positions(), renew.tokens());
        } else if (request instanceof StoreRequest.ExpireLeases expire) {
            add(15);
            add(expire.limit());
            add(expire.extendMillis());
            add(expire.ordered());
        } else if (request instanceof StoreRequest.RecordCommit commit) {
            add(16);
            add(commit.incarnation());
            add(commit.committed());
        } else if (request instanceof StoreRequest.AbandonPosition abandon) {
            add(17);
            add(abandon.position());
            add(abandon.key());
        } else if (request instanceof StoreRequest.DeclineOffers decline) {
            add(19);
            add(decline.offers().size());
            for (StoreRequest.Declined offer : decline.offers()) {
                add(offer.position());
                add(offer.key());
                add(offer.delayMillis());
            }
        } else if (request instanceof ReadLines read) {
            add(20);
            for (ReadLines.LineRead line : read.lines()) {
                add(line.line());
                add(line.after());
                add(line.most());
            }
            add(read.findFrom());
        } else if (request instanceof StoreRequest.Release) {
            add(18);
        } else {
            throw new IllegalStateException("The digest does not know " + request);
        }
    }

    private void add(StoreRequest.PresentedClaim presented) {
        add(presented.position());
        add(presented.token());
        add(presented.key());
        add(presented.attempt());
        add(presented.mark());
        add(presented.outcomeNumber());
        add(presented.relayedFrom());
    }

    private void add(StoreRequest.Settle settle) {
        add(settle.position());
        add(settle.token());
        add(settle.key());
        add(settle.mark());
        add(settle.nextToken());
        if (settle.verdict() instanceof Verdict.Success success) {
            add(30);
            add(success.record() == null ? -1 : success.record().attempt());
        } else if (settle.verdict() instanceof Verdict.Retry retry) {
            add(31);
            add(retry.delayMillis());
            add(retry.envelope());
        } else if (settle.verdict() instanceof Verdict.Dead dead) {
            add(32);
            add(dead.deadHead().ordinal());
            add(dead.envelope());
        } else {
            add(33);
        }
        if (settle.then() != null) {
            add(settle.then());
        }
    }

    private void add(StoreRequest.Claim claim) {
        add(claim.position());
        add(claim.token());
        add(claim.key());
        add(claim.inStore());
        add(claim.check());
    }

    private void add(StoreRequest.HandOver entry) {
        add(entry.position());
        add(entry.key());
        add(entry.mark());
        add(entry.envelope());
        if (entry.move() instanceof Move.Schedule schedule) {
            add(40);
            add(schedule.dueAt());
        } else if (entry.move() instanceof Move.JoinLine join) {
            add(45);
            add(join.line());
        } else if (entry.move() instanceof Move.Park) {
            add(41);
        } else if (entry.move() instanceof Move.Adopt) {
            add(42);
        } else {
            add(entry.move() instanceof Move.Bury ? 43 : 44);
        }
    }

    private final class Watched implements Commands {
        private final Commands to;
        private final String process;

        Watched(Commands to, String process) {
            this.to = to;
            this.process = process;
        }

        private void command(int code, Partition partition) {
            add(code);
            add(process);
            add(partition.name());
        }

        @Override
        public void send(StoreRequest request) {
            command(50, request.partition());
            add(request);
            to.send(request);
        }

        @Override
        public void reach(Partition partition) {
            command(51, partition);
            to.reach(partition);
        }

        @Override
        public void start(Run run) {
            command(52, run.partition());
            add(run.position());
            add(run.token());
            add(run.attempt());
            add(run.lapses());
            add(run.leaseUntil());
            to.start(run);
        }

        @Override
        public void commit(Partition partition, long upTo) {
            command(53, partition);
            add(upTo);
            to.commit(partition, upTo);
        }

        @Override
        public void ack(Partition partition, Collection<Long> sequences) {
            command(54, partition);
            sequences.forEach(BehaviourDigest.this::add);
            to.ack(partition, sequences);
        }

        @Override
        public void open(Partition partition) {
            command(55, partition);
            to.open(partition);
        }

        @Override
        public void pause(Partition partition) {
            command(56, partition);
            to.pause(partition);
        }

        @Override
        public void resume(Partition partition) {
            command(57, partition);
            to.resume(partition);
        }

        @Override
        public void rewind(Partition partition) {
            command(58, partition);
            to.rewind(partition);
        }

        @Override
        public void cutRecorded(Partition partition) {
            command(63, partition);
            to.cutRecorded(partition);
        }

        @Override
        public void recall(Partition partition, Recall recall) {
            command(62, partition);
            add(recall.from());
            add(recall.upTo());
            add(recall.maxTasks());
            to.recall(partition, recall);
        }

        @Override
        public void confirm(Partition partition) {
            command(59, partition);
            to.confirm(partition);
        }

        @Override
        public void left(Partition partition) {
            command(60, partition);
            to.left(partition);
        }
    }
}
