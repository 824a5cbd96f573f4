package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;

/** One thing to be recorded in the store, kept until it is durable where custody depends on it. */
sealed interface Item {

    /** Whose custody it moves. */
    Entry entry();

    default Position position() {
        return entry().position;
    }

    /** The same for the delivery that an older item of this position was about: its mark depends on this one now. */
    Item inPlaceOf(Item older);

    /** The outcome of one run. */
    record Outcome(Entry entry, long token, int attempt, Verdict verdict) implements Item {

        Settle settle(long nextToken) {
            return new Settle(entry.position, token, entry.key, entry.bit, verdict, nextToken);
        }

        /** Forgetting it could lose or repeat what only the store knows. */
        boolean movesCustody() {
            if (verdict instanceof Verdict.Success) {
                return !entry.tracked() || entry.held;
            }
            return !(verdict instanceof Verdict.Returned);
        }

        @Override
        public Item inPlaceOf(Item older) {
            return older.entry().tracked() && !entry.tracked()
                    ? new Outcome(older.entry(), token, attempt, verdict)
                    : this;
        }
    }

    /** A hand-over. */
    record Handover(Entry entry, Move move) implements Item {

        boolean parks() {
            return move instanceof Move.Park;
        }

        @Override
        public Item inPlaceOf(Item older) {
            return older.entry().tracked() && !entry.tracked() ? new Handover(older.entry(), move) : this;
        }
    }
}
