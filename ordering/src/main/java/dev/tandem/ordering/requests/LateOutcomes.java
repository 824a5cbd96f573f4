package dev.tandem.ordering.requests;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.SettleLate;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** Outcomes of runs whose ownership has ended. They are sent by token alone, again and again until they are answered. */
public final class LateOutcomes {

    private final Partition partition;
    private final ArrayDeque<SettleLate> unsent = new ArrayDeque<>();
    private final Set<SettleLate> unanswered = new LinkedHashSet<>();
    /** Positions that they may have settled after the last acquire was sent, so that its answer does not tell. */
    private final Set<Position> maybeSettled = new HashSet<>();
    /** The outcomes that the loop is told of when they are recorded. */
    private final Set<SettleLate> reported = new HashSet<>();

    public LateOutcomes(Partition partition) {
        this.partition = partition;
    }

    public void add(PendingOutcome outcome, Incarnation incarnation) {
        SettleLate late = new SettleLate(partition, incarnation, outcome.settle(0));
        unsent.addLast(late);
        maybeSettled.add(outcome.position());
        if (outcome.isReported()) {
            reported.add(late);
        }
    }

    /** To be called when an acquire is sent. Its answer tells of all that was answered before. */
    public void acquireSent() {
        maybeSettled.clear();
        unsent.forEach(late -> maybeSettled.add(late.settle().position()));
        unanswered.forEach(late -> maybeSettled.add(late.settle().position()));
    }

    /** Whether a late outcome may have settled the position without the last acquire telling of it. */
    public boolean mayHaveSettled(Position position) {
        return !maybeSettled.isEmpty() && maybeSettled.contains(position);
    }

    public void flush(Consumer<StoreRequest> send) {
        for (SettleLate late = unsent.pollFirst(); late != null; late = unsent.pollFirst()) {
            unanswered.add(late);
            send.accept(late);
        }
    }

    /**
     * Takes in that an outcome was answered.
     *
     * @param nextAcquireTells whether the next acquire is still to be sent, so that its answer tells of this outcome
     * @return whether it is to be said that this is recorded, if it is
     */
    public boolean answered(SettleLate late, boolean nextAcquireTells) {
        unanswered.remove(late);
        if (nextAcquireTells) {
            maybeSettled.remove(late.settle().position());
        }
        return reported.remove(late);
    }

    /** To be called when the connection broke: all that has no answer is sent again. Tokens make that harmless. */
    public void connectionLost() {
        // In front of younger ones: an outcome that a relay brings after that of its successor would claim for nobody.
        List<SettleLate> oldest = List.copyOf(unanswered);
        for (int i = oldest.size() - 1; i >= 0; i--) {
            unsent.addFirst(oldest.get(i));
        }
        unanswered.clear();
    }

    public boolean isEmpty() {
        return unsent.isEmpty() && unanswered.isEmpty();
    }

    public boolean hasUnsent() {
        return !unsent.isEmpty();
    }
}
