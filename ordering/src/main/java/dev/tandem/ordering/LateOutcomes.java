package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;

/** Outcomes of runs whose ownership ended: sent by token only, until they are answered. */
final class LateOutcomes {

    private final Partition partition;
    private final ArrayDeque<StoreRequest.SettleLate> unsent = new ArrayDeque<>();
    private final Set<StoreRequest.SettleLate> unanswered = new LinkedHashSet<>();
    /** What they may have settled since the last acquire was sent, whose answer does not tell. */
    private final Set<Position> since = new HashSet<>();

    LateOutcomes(Partition partition) {
        this.partition = partition;
    }

    void add(PendingItem.Outcome outcome, long incarnation) {
        unsent.addLast(new StoreRequest.SettleLate(partition, incarnation, outcome.settle(0)));
        since.add(outcome.position());
    }

    /** An acquire is sent: what was answered before is in its answer. */
    void acquiring() {
        since.clear();
        unsent.forEach(late -> since.add(late.settle().position()));
        unanswered.forEach(late -> since.add(late.settle().position()));
    }

    boolean mayHaveSettled(Position position) {
        return !since.isEmpty() && since.contains(position);
    }

    void flush(Commands out) {
        for (StoreRequest.SettleLate late = unsent.pollFirst(); late != null; late = unsent.pollFirst()) {
            unanswered.add(late);
            out.send(late);
        }
    }

    /** @param told whether the next acquire will tell of it */
    void answered(StoreRequest.SettleLate late, boolean told) {
        unanswered.remove(late);
        if (told) {
            since.remove(late.settle().position());
        }
    }

    /** The connection broke: all that had no answer is sent again. Tokens make that harmless. */
    void again() {
        unsent.addAll(unanswered);
        unanswered.clear();
    }

    boolean isEmpty() {
        return unsent.isEmpty() && unanswered.isEmpty();
    }

    boolean hasUnsent() {
        return !unsent.isEmpty();
    }
}
