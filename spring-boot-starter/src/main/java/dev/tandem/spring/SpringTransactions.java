package dev.tandem.spring;

import dev.tandem.client.TransactionBoundary;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The transactions of Spring, whatever manages them. */
final class SpringTransactions implements TransactionBoundary {

    @Override
    public boolean isOpen() {
        return TransactionSynchronizationManager.isSynchronizationActive()
                && TransactionSynchronizationManager.isActualTransactionActive();
    }

    @Override
    public void onEnd(Consumer<Outcome> action) {
        Actions actions = (Actions) TransactionSynchronizationManager.getResource(this);
        if (actions == null) {
            actions = new Actions();
            TransactionSynchronizationManager.registerSynchronization(actions);
            TransactionSynchronizationManager.bindResource(this, actions);
        }
        actions.add(action);
    }

    /** The actions of one transaction. Used by its thread only. */
    private final class Actions implements TransactionSynchronization {

        private final List<Consumer<Outcome>> actions = new ArrayList<>();

        /** How many actions there were at each savepoint. One that is not here is older than all of them. */
        private final Map<Object, Integer> savepoints = new IdentityHashMap<>();

        void add(Consumer<Outcome> action) {
            actions.add(action);
        }

        /** The transaction makes room for another one of the same thread. */
        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(SpringTransactions.this, this);
        }

        @Override
        public void savepoint(Object savepoint) {
            savepoints.put(savepoint, actions.size());
        }

        @Override
        public void savepointRollback(Object savepoint) {
            List<Consumer<Outcome>> undone = actions.subList(savepoints.getOrDefault(savepoint, 0), actions.size());
            List<Consumer<Outcome>> ended = List.copyOf(undone);
            undone.clear();
            ended.forEach(each -> each.accept(Outcome.ROLLED_BACK));
        }

        /** Not after the commit: what other code submits there must be sent too, and after all that came before. */
        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringTransactions.this);
            Outcome outcome = switch (status) {
                case STATUS_COMMITTED -> Outcome.COMMITTED;
                case STATUS_ROLLED_BACK -> Outcome.ROLLED_BACK;
                default -> Outcome.UNKNOWN;
            };
            actions.forEach(each -> each.accept(outcome));
        }
    }
}
