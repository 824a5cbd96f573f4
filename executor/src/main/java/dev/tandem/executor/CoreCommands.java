package dev.tandem.executor;

import dev.tandem.ordering.Arrival;
import dev.tandem.ordering.Commands;
import dev.tandem.ordering.CoreEvent;
import dev.tandem.ordering.RecordedEnd;
import dev.tandem.ordering.RefusedEnd;
import dev.tandem.ordering.Run;
import dev.tandem.task.Partition;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the core's commands, in their order. Runs and log lines wait for the end of the flush. Used by the loop's
 * thread only.
 */
final class CoreCommands implements Commands {

    /** Has the name of the class that writes the lines, so that their level can be set apart from all others. */
    private static final Logger ownershipLogger = LoggerFactory.getLogger(OwnershipLog.class);

    private static final Logger haltedKeyLogger = LoggerFactory.getLogger(HaltedKeyLog.class);

    private final LoopSource source;
    private final HeldPartitions partitions;
    private final RunStarter starter;
    private final Gates gates;
    private final RetainedPartitions retained;
    private final @Nullable PartitionLeases leases;
    private final LoopStatus status;
    private final List<Run> starts = new ArrayList<>();
    /** Whether there is something to ask about tasks that have come. */
    private boolean arrived;

    private final OwnershipLog ownershipLog = new OwnershipLog();
    private final BuriedLog buriedLog;
    private final HaltedKeyLog haltedKeyLog;

    /**
     * @param leases null if the broker assigns the partitions
     * @param namesKeys whether lines at WARN may name keys
     * @param clock limits the rate of log lines
     */
    CoreCommands(
            LoopSource source,
            HeldPartitions partitions,
            RunStarter starter,
            Gates gates,
            RetainedPartitions retained,
            @Nullable PartitionLeases leases,
            LoopStatus status,
            boolean namesKeys,
            ExecutorClock clock) {
        this.source = source;
        this.partitions = partitions;
        this.starter = starter;
        this.gates = gates;
        this.retained = retained;
        this.leases = leases;
        this.status = status;
        this.haltedKeyLog = new HaltedKeyLog(namesKeys);
        this.buriedLog = new BuriedLog(clock);
    }

    /** Ends a flush: starts the new runs together, and logs the events that are due. @param full whether runs have all slots */
    void flushed(long nowMillis, boolean full) {
        if (!starts.isEmpty()) {
            starter.start(starts, nowMillis);
            starts.clear();
        }
        starter.startDue(nowMillis, full);
        if (arrived) {
            arrived = false;
            gates.flush();
        }
        log(ownershipLog.takeDue(nowMillis));
        haltedKeyLog.takeDue(nowMillis).forEach(haltedKeyLogger::warn);
        buriedLog.logLeftOut(false);
    }

    /** Returns when {@link #flushed} is due without any event. */
    long nextTurn() {
        return starter.nextDue();
    }

    /** Returns the number of runs that wait for others of their batch. */
    int waiting() {
        return starter.waiting();
    }

    /** Logs the events that were kept back. */
    void logRest() {
        log(ownershipLog.takeAll());
        haltedKeyLog.takeAll().forEach(haltedKeyLogger::warn);
        buriedLog.logLeftOut(true);
    }

    private static void log(List<OwnershipLog.Line> lines) {
        for (OwnershipLog.Line line : lines) {
            ownershipLogger.atLevel(line.level()).log(line.text());
        }
    }

    @Override
    public void send(StoreRequest request) {
        partitions.send(request);
    }

    @Override
    public void reach(Partition partition) {
        partitions.reach(partition);
    }

    @Override
    public void start(Run run) {
        starts.add(run);
    }

    @Override
    public void arrived(Arrival arrival) {
        arrived |= gates.arrived(arrival);
    }

    @Override
    public void recorded(RecordedEnd end) {
        gates.recorded(end);
    }

    @Override
    public void refused(RefusedEnd end) {
        gates.refused(end);
    }

    @Override
    public void commit(Partition partition, long upTo) {
        onSource(partition, open -> open.commit(partition, upTo));
    }

    @Override
    public void ack(Partition partition, Collection<Long> sequences) {
        onSource(partition, open -> open.ack(partition, sequences));
    }

    @Override
    public void open(Partition partition) {
        partitions.acquired(partition);
        if (retained.isHeld(partition)) {
            retained.open(partition);
        } else {
            source.ifOpen(open -> open.open(partition));
        }
    }

    @Override
    public void pause(Partition partition) {
        onSource(partition, open -> open.pause(partition));
    }

    @Override
    public void resume(Partition partition) {
        onSource(partition, open -> open.resume(partition));
    }

    @Override
    public void rewind(Partition partition) {
        onSource(partition, open -> open.rewind(partition));
    }

    @Override
    public void cutRecorded(Partition partition) {
        onSource(partition, open -> open.cutRecorded(partition));
    }

    @Override
    public void recall(Partition partition, Recall recall) {
        onSource(partition, open -> open.recall(partition, recall));
    }

    @Override
    public void confirm(Partition partition) {
        if (retained.isHeld(partition)) {
            retained.confirm(partition);
        } else {
            source.ifOpen(open -> open.confirm(partition));
        }
    }

    /** Runs of a partition that is about to be given up do not wait at gates any more. */
    void leaves(Partition partition) {
        gates.leave(partition);
    }

    @Override
    public void left(Partition partition) {
        gates.left(partition);
        partitions.left(partition);
        if (leases != null) {
            leases.left(partition);
        }
        if (retained.left(partition)) {
            return;
        }
        // A broker that assigns partitions knows which ones it took away.
        boolean givenUpByUs = leases != null || status.state() == QueueStatus.State.STOPPING;
        if (givenUpByUs) {
            source.ifOpen(open -> open.close(partition));
        }
    }

    private void onSource(Partition partition, Consumer<Source> call) {
        if (!retained.isHeld(partition)) {
            source.ifOpen(call);
        }
    }

    @Override
    public void report(CoreEvent event) {
        if (event instanceof CoreEvent.OwnedByOtherSource refusal) {
            partitions.refused(refusal);
        } else if (event instanceof CoreEvent.Buried buried) {
            buriedLog.log(buried);
        } else if (event instanceof CoreEvent.KeyHalted halted) {
            haltedKeyLog.add(halted);
        } else if (OwnershipLog.isDebugOnly(event)
                ? ownershipLogger.isDebugEnabled()
                : ownershipLogger.isInfoEnabled()) {
            ownershipLog.add(event);
        }
    }
}
