package dev.tandem.ordering;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.Set;

/** Outcomes of runs whose ownership ended: sent by token only, until they are answered. */
final class Late {

    private final Partition partition;
    private final ArrayDeque<StoreRequest.Late> unsent = new ArrayDeque<>();
    private final Set<StoreRequest.Late> unanswered = new LinkedHashSet<>();

    Late(Partition partition) {
        this.partition = partition;
    }

    void add(Item.Outcome outcome, long incarnation) {
        unsent.addLast(new StoreRequest.Late(partition, incarnation, outcome.settle(0)));
    }

    void flush(Commands out) {
        for (StoreRequest.Late late = unsent.pollFirst(); late != null; late = unsent.pollFirst()) {
            unanswered.add(late);
            out.send(late);
        }
    }

    void answered(StoreRequest.Late late) {
        unanswered.remove(late);
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
