package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.Source;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes the events of a queue's source to the core. The source calls it on the loop's thread, inside of poll. After
 * events that lead to commands, the poll must return soon, so that the loop turns.
 */
final class SourceEvents implements Source.Events {

    private static final Logger log = LoggerFactory.getLogger(SourceEvents.class);

    private final String queue;
    private final boolean ordered;
    private final QueueCore core;
    private final LoopSource source;
    private final LoopInbox inbox;
    private final HeldPartitions partitions;
    private final RetainedPartitions retained;
    private final LoopTurns turns;
    private final GrowthWatch growth;
    private final ExecutorClock clock;
    private final long leaveMillis;
    private final LogRateLimiter commitFailures;
    private final LogRateLimiter recallFailures;

    SourceEvents(
            QueueSpec spec,
            QueueCore core,
            LoopSource source,
            LoopInbox inbox,
            HeldPartitions partitions,
            RetainedPartitions retained,
            LoopTurns turns,
            Gates gates,
            ExecutorContext context) {
        this.queue = spec.name();
        this.ordered = spec.policy().ordered();
        this.core = core;
        this.source = source;
        this.inbox = inbox;
        this.partitions = partitions;
        this.retained = retained;
        this.turns = turns;
        this.clock = context.clock();
        this.growth = new GrowthWatch(spec, clock, source, partitions, inbox, gates.growth());
        this.leaveMillis = context.timings().leave();
        this.commitFailures = new LogRateLimiter(clock, 1, 10_000);
        this.recallFailures = new LogRateLimiter(clock, 1, 10_000);
    }

    /** Looks after what the source does not report by itself. Called between polls. */
    void check() {
        growth.check();
    }

    @Override
    public void mayHaveGrown() {
        growth.mayHaveGrown();
    }

    @Override
    public void assigned(Partition partition, Source.Facts facts) {
        growth.assigned();
        tell(() -> {
            retained.assigned(partition);
            partitions.hold(partition, facts);
        });
        source.wakeup();
    }

    @Override
    public void delivered(Partition partition, Collection<Delivery> deliveries, long nextSequence) {
        growth.delivered(partition, deliveries);
        tell(() -> core.delivered(partition, inTheirPlaces(deliveries), nextSequence));
    }

    /** Lets unreadable messages whose keys are known take their places among the tasks of their keys. */
    private Collection<Delivery> inTheirPlaces(Collection<Delivery> deliveries) {
        if (!ordered || !hasUnreadable(deliveries)) {
            return deliveries;
        }
        return deliveries.stream().map(Delivery::asTaskThatDies).toList();
    }

    private static boolean hasUnreadable(Collection<Delivery> deliveries) {
        for (Delivery delivery : deliveries) {
            if (delivery.unreadable() != null) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void recalled(Partition partition, long id, Collection<Delivery> deliveries, long next) {
        tell(() -> core.recalled(partition, id, inTheirPlaces(deliveries), next));
    }

    @Override
    public void deleted(Partition partition, long id, long logStart) {
        tell(() -> core.deleted(partition, id, logStart));
    }

    @Override
    public void recallFailed(Partition partition, long id, String why) {
        recallFailures.log(notLogged -> log.warn(
                "Queue {}: records of {} that had to wait in the log could not be read again, which will be retried{}: {}",
                queue,
                partition,
                notLogged == 0 ? "" : " (" + notLogged + " earlier failures were not logged)",
                why));
        tell(() -> core.recallFailed(partition, id));
    }

    @Override
    public boolean cut(Partition partition, long offset) {
        if (source.isClosed()) {
            return false;
        }
        if (turns.isFlushing()) {
            throw new IllegalStateException(
                    "The source of queue '" + queue + "' reported a cut outside of poll, which is a bug in it");
        }
        boolean[] isVoid = {false};
        turns.tell(() -> isVoid[0] = core.cut(partition, offset));
        source.wakeup();
        return isVoid[0];
    }

    @Override
    public void caughtUp(Partition partition) {
        tell(() -> core.caughtUp(partition));
    }

    @Override
    public void committed(Partition partition, long upTo) {
        tell(() -> core.committed(partition, upTo));
    }

    @Override
    public void commitFailed(Partition partition, String why) {
        // Usual while a consumer group rebalances, so not a warning.
        commitFailures.log(notLogged -> log.info(
                "Queue {}: a commit of {} failed and will be retried{}: {}",
                queue,
                partition,
                notLogged == 0 ? "" : " (" + notLogged + " earlier failures were not logged)",
                why));
        tell(() -> core.commitFailed(partition));
    }

    @Override
    public void confirmed(Partition partition, Source.Facts facts) {
        tell(() -> core.confirmed(partition, facts));
        source.wakeup();
    }

    @Override
    public void revoked(Collection<Partition> revoked) {
        turnInsidePoll(() -> turns.release(revoked, clock.millis() + leaveMillis, inbox::park));
    }

    @Override
    public void lost(Collection<Partition> lost) {
        turnInsidePoll(() -> turns.lose(lost));
    }

    private void tell(Runnable event) {
        if (!source.isClosed()) {
            turns.tell(event);
        }
    }

    /** Runs turns before the source's call returns, because the source needs the result of the event by then. */
    private void turnInsidePoll(Runnable inside) {
        if (source.isClosed()) {
            return;
        }
        if (turns.isFlushing()) {
            throw new IllegalStateException(
                    "The source of queue '" + queue + "' took partitions away outside of poll, which is a bug in it");
        }
        // The source waits for this call, so there is no need to wake it.
        inbox.awake();
        inside.run();
        source.wakeup();
    }
}
