package dev.tandem.spring;

import dev.tandem.client.TransactionBoundary;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transactions of Spring, whatever manages them. */
final class SpringTransactions implements TransactionBoundary {

    /** Also true when the transaction has ended and its submissions are still to be sent: later ones wait behind them. */
    @Override
    public boolean isOpen() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                        && TransactionSynchronizationManager.isActualTransactionActive()
                || unfinished() != null;
    }

    @Override
    public void onEnd(Consumer<Outcome> action) {
        if (!actions().add(action)) {
            actions().add(action); // another thread has just ended the transaction
        }
    }

    @Override
    @SuppressWarnings("unchecked") // each owner asks for one type
    public <T> T attachment(Object owner, Supplier<T> maker) {
        return (T) actions().attachments.computeIfAbsent(owner, each -> maker.get());
    }

    private Actions actions() {
        Actions actions = unfinished();
        if (actions == null) {
            actions = new Actions();
            TransactionSynchronizationManager.registerSynchronization(actions);
            TransactionSynchronizationManager.bindResource(this, actions);
        }
        return actions;
    }

    private @Nullable Actions unfinished() {
        Actions actions = (Actions) TransactionSynchronizationManager.getResource(this);
        if (actions != null && actions.isFinished()) {
            actions.unbind();
            return null;
        }
        return actions;
    }

    /** What is to be done at the end of a transaction. */
    private record Action(Consumer<Outcome> code, boolean afterEnd) {}

    /** The actions of one transaction. JTA may complete a transaction on another thread than its own. */
    private final class Actions implements TransactionSynchronization {

        private final List<Action> actions = new ArrayList<>();

        /** How many actions there were at each savepoint. One that is not here is older than all of them. */
        private final Map<Object, Integer> savepoints = new IdentityHashMap<>();

        /** Used by the transaction's thread only. */
        private final Map<Object, Object> attachments = new IdentityHashMap<>();

        private boolean finished;

        /** Takes an action, unless the others have run. */
        synchronized boolean add(Consumer<Outcome> action) {
            return !finished
                    && actions.add(new Action(action, !TransactionSynchronizationManager.isSynchronizationActive()));
        }

        synchronized boolean isFinished() {
            return finished;
        }

        /** Takes all actions; after the last ones nothing more can be added. */
        private synchronized List<Action> takeOrFinish() {
            List<Action> taken = List.copyOf(actions);
            actions.clear();
            finished = taken.isEmpty();
            return taken;
        }

        /** Leaves the calling thread, unless that has others by now. */
        void unbind() {
            if (TransactionSynchronizationManager.getResource(SpringTransactions.this) == this) {
                TransactionSynchronizationManager.unbindResource(SpringTransactions.this);
            }
        }

        /** Comes before listeners, so that what they submit finds the tasks of the transaction sent; after the outbox. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE + 1;
        }

        /** The transaction makes room for another one of the same thread. */
        @Override
        public void suspend() {
            unbind();
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
            TransactionSynchronizationManager.bindResource(SpringTransactions.this, this);
        }

        @Override
        public synchronized void savepoint(Object savepoint) {
            savepoints.put(savepoint, actions.size());
        }

        @Override
        public void savepointRollback(Object savepoint) {
            List<Action> ended;
            synchronized (this) {
                List<Action> undone = actions.subList(savepoints.getOrDefault(savepoint, 0), actions.size());
                ended = List.copyOf(undone);
                undone.clear();
            }
            ended.forEach(each -> each.code().accept(Outcome.ROLLED_BACK));
        }

        /** Not after the commit: what other code submits there must be sent too, and after all that came before. */
        @Override
        public void afterCompletion(int status) {
            Outcome outcome = switch (status) {
                case STATUS_COMMITTED -> Outcome.COMMITTED;
                case STATUS_ROLLED_BACK -> Outcome.ROLLED_BACK;
                default -> Outcome.UNKNOWN;
            };
            try {
                for (List<Action> next = takeOrFinish(); !next.isEmpty(); next = takeOrFinish()) {
                    next.forEach(each -> each.code().accept(each.afterEnd() ? Outcome.COMMITTED : outcome));
                }
            } finally {
                unbind();
            }
        }
    }
}
