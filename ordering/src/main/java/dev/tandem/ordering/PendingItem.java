package dev.tandem.ordering;

import dev.tandem.task.Position;
import dev.tandem.task.store.StoreRequest.Claim;
import dev.tandem.task.store.StoreRequest.Move;
import dev.tandem.task.store.StoreRequest.Settle;
import dev.tandem.task.store.StoreRequest.Verdict;
import org.jspecify.annotations.Nullable;

/** One thing to be recorded in the store, kept until it is durable where custody depends on it. */
sealed interface PendingItem {

    /** Whose custody it moves. */
    TaskEntry entry();

    default Position position() {
        return entry().position;
    }

    /** The same for the delivery that an older item of this position was about: its mark depends on this one now. */
    PendingItem inPlaceOf(PendingItem older);

    /** The outcome of one run. */
    final class Outcome implements PendingItem {
        private TaskEntry entry;
        private final long token;
        private final int attempt;
        private final Verdict verdict;
        /** The last request that may have recorded it; 0 if none carried it. */
        long sentIn;
        /** An earlier request carried it, and its answer was missed. */
        boolean sentAgain;
        /** An acquire was answered that its claim is over. So later requests carry it in vain. */
        boolean isOver;
        /** The token of the claim that its own was relayed from; 0 if from none. */
        long after;
        /** The claim of the task that was started when this one had ended. */
        @Nullable
        Claim then;

        Outcome(TaskEntry entry, long token, int attempt, Verdict verdict) {
            this.entry = entry;
            this.token = token;
            this.attempt = attempt;
            this.verdict = verdict;
        }

        @Override
        public TaskEntry entry() {
            return entry;
        }

        long token() {
            return token;
        }

        int attempt() {
            return attempt;
        }

        Verdict verdict() {
            return verdict;
        }

        /** It is one of a row of runs whose claims came one by the other's outcome. */
        boolean isRelayed() {
            return after != 0 || then != null;
        }

        /** Its task was delivered again: that delivery is settled by this. */
        void attach(TaskEntry delivered) {
            entry = delivered;
        }

        Settle settle(long nextToken) {
            return new Settle(entry.position, token, entry.key, entry.memo(), verdict, nextToken, then);
        }

        /** Forgetting it could lose or repeat what only the store knows. */
        boolean movesCustody() {
            if (verdict instanceof Verdict.Success) {
                return !entry.tracked() || entry.inStore;
            }
            return !(verdict instanceof Verdict.Returned);
        }

        @Override
        public PendingItem inPlaceOf(PendingItem older) {
            if (older.entry().tracked() && !entry.tracked()) {
                entry = older.entry();
            }
            return this;
        }

        @Override
        public String toString() {
            return verdict.getClass().getSimpleName() + " of " + entry;
        }
    }

    /**
     * A hand-over.
     *
     * @param error why the task is dead, where that is not in its message; else null
     */
    record Handover(TaskEntry entry, Move move, @Nullable String error) implements PendingItem {

        Handover(TaskEntry entry, Move move) {
            this(entry, move, null);
        }

        boolean parks() {
            return move instanceof Move.Park;
        }

        /** Until it is answered, nothing of its key may start or be handed over. */
        boolean holdsLane() {
            return entry.key != null && !(move instanceof Move.Schedule);
        }

        @Override
        public PendingItem inPlaceOf(PendingItem older) {
            return older.entry().tracked() && !entry.tracked() ? new Handover(older.entry(), move, error) : this;
        }
    }
}
