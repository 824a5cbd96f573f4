package dev.tandem.task.store;

import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutRecord.Phase;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The record that the model of a store keeps of one fan-out. */
final class FanOutEntry {
    FanOutPlan plan;
    Phase phase = Phase.OPEN;
    Stop stop = Stop.NO;
    String why = "";
    boolean isCancelled;
    boolean isAbandoned;
    boolean hasForgotten;
    boolean awaitsMaster;
    End masterEnd = End.SUCCEEDED;
    String masterWhy = "";
    long token;
    long cursor;
    long total = -1;
    final long since;
    long endedAt;
    boolean finished;
    int tries;
    long claimedUntil;
    String claimedBy = "";

    @Nullable
    String begunBy;

    String begunName = "";
    final List<FanOutRecord.Failure> errors = new ArrayList<>();
    final BitSet ended = new BitSet();
    final BitSet failed = new BitSet();
    final BitSet cancelled = new BitSet();
    /** The fan-outs of subtasks that have fanned out themselves, and have not ended. */
    final Map<Integer, String> inner = new HashMap<>();

    FanOutEntry(FanOutPlan plan, long token, long since) {
        this.plan = plan;
        this.token = token;
        this.since = since;
        this.awaitsMaster = !plan.parent().isEmpty();
    }

    /** A run of the master has come behind the end of the stream. Returns false if a later one had come before. */
    boolean reopened(FanOutRequest.Open open) {
        if (!awaitsMaster || finished) {
            return true;
        } else if (open.token() < token) {
            return false;
        }
        token = open.token();
        return true;
    }

    FanOutEntry copy() {
        FanOutEntry copy = new FanOutEntry(plan, token, since);
        copy.phase = phase;
        copy.stop = stop;
        copy.why = why;
        copy.isCancelled = isCancelled;
        copy.isAbandoned = isAbandoned;
        copy.hasForgotten = hasForgotten;
        copy.awaitsMaster = awaitsMaster;
        copy.masterEnd = masterEnd;
        copy.masterWhy = masterWhy;
        copy.cursor = cursor;
        copy.total = total;
        copy.endedAt = endedAt;
        copy.finished = finished;
        copy.tries = tries;
        copy.claimedUntil = claimedUntil;
        copy.claimedBy = claimedBy;
        copy.begunBy = begunBy;
        copy.begunName = begunName;
        copy.errors.addAll(errors);
        copy.ended.or(ended);
        copy.failed.or(failed);
        copy.cancelled.or(cancelled);
        copy.inner.putAll(inner);
        return copy;
    }

    long endedBelow(long number) {
        return ended.get(0, (int) number).cardinality();
    }

    boolean hasSucceeded(int number) {
        return ended.get(number) && !failed.get(number) && !cancelled.get(number);
    }

    long count(BitSet bits) {
        return phase == Phase.OPEN
                ? bits.cardinality()
                : bits.get(0, (int) total).cardinality();
    }
}
