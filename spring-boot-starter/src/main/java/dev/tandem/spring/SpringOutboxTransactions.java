package dev.tandem.spring;

import dev.tandem.client.TransactionBoundary;
import dev.tandem.client.TransactionBoundary.Outcome;
import dev.tandem.outbox.OutboxTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Writes the outbox's rows in the transactions of Spring that have the outbox's database, and in transactions of its own where
 * none is open. Thread-safe.
 */
final class SpringOutboxTransactions implements OutboxTransactions {

    private static final Logger log = LoggerFactory.getLogger(SpringOutboxTransactions.class);

    private final DataSource database;
    private final String name;
    private final TransactionBoundary transactions;

    /**
     * @param database a {@link #target}
     * @param name what messages call it
     */
    SpringOutboxTransactions(DataSource database, String name, TransactionBoundary transactions) {
        this.database = database;
        this.name = name;
        this.transactions = transactions;
    }

    /** Returns the data source whose connections are not those of the thread's transaction. */
    static DataSource target(DataSource database) {
        DataSource target =
                database instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target != null ? target : database;
    }

    @Override
    public void write(Write write, Runnable committed, Runnable rolledBack) throws SQLException {
        if (!transactions.isOpen() || isOver()) {
            writeAlone(write);
            committed.run();
        } else if (TransactionSynchronizationManager.isCurrentTransactionReadOnly()) {
            // The database refuses a write here.
            transactions.onEnd(
                    outcome -> end(outcome == Outcome.COMMITTED && wroteLater(write), committed, rolledBack));
        } else {
            TransactionPhase phase = phase();
            writeWithin(write);
            transactions.onEnd(outcome -> end(outcome == Outcome.COMMITTED && !phase.lost, committed, rolledBack));
        }
    }

    private static void end(boolean done, Runnable committed, Runnable rolledBack) {
        (done ? committed : rolledBack).run();
    }

    private void writeAlone(Write write) throws SQLException {
        try (Connection connection = database.getConnection()) {
            boolean before = connection.getAutoCommit();
            connection.setAutoCommit(false);
            try {
                write.to(connection);
                connection.commit();
            } catch (Throwable e) {
                undo(connection, before, e);
                throw e;
            }
            connection.setAutoCommit(before);
        }
    }

    /** Leaves the connection as it is if it cannot roll back: to set its mode would commit what was written. */
    private static void undo(Connection connection, boolean autoCommit, Throwable failure) {
        try {
            connection.rollback();
            connection.setAutoCommit(autoCommit);
        } catch (SQLException | RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private boolean wroteLater(Write write) {
        try {
            writeAlone(write);
            return true;
        } catch (SQLException | RuntimeException e) {
            log.error(
                    "A task of a read-only transaction was not written to the outbox after its commit, so it is lost",
                    e);
            return false;
        }
    }

    private void writeWithin(Write write) throws SQLException {
        Connection connection = connection();
        try {
            write.to(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, database);
        }
    }

    private Connection connection() {
        Connection connection = DataSourceUtils.getConnection(database);
        try {
            if (!connection.getAutoCommit()) {
                return connection;
            }
        } catch (SQLException e) {
            DataSourceUtils.releaseConnection(connection, database);
            throw new IllegalStateException("The connection of the data source " + name + " cannot be used", e);
        }
        DataSourceUtils.releaseConnection(connection, database);
        throw new IllegalStateException(
                "The task cannot be submitted: tasks are written to the outbox in the data source "
                        + name
                        + ", but the open transaction does not use it. Submit the task in a transaction of that data"
                        + " source, or outside of a transaction, or set tandem.outbox.enabled to false");
    }

    /** Returns whether the thread's transaction has ended already, so that what it writes now would not be committed. */
    private boolean isOver() {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return true;
        }
        TransactionPhase phase = (TransactionPhase) TransactionSynchronizationManager.getResource(this);
        return phase != null && phase.committed;
    }

    private TransactionPhase phase() {
        TransactionPhase phase = (TransactionPhase) TransactionSynchronizationManager.getResource(this);
        if (phase == null) {
            phase = new TransactionPhase();
            TransactionSynchronizationManager.registerSynchronization(phase);
            TransactionSynchronizationManager.bindResource(this, phase);
        }
        return phase;
    }

    /** How far a transaction is. Used by its thread only. */
    private final class TransactionPhase implements TransactionSynchronization {

        private boolean seenBeforeCommit;
        private boolean committed;
        private boolean lost;

        /** First, so that whatever else runs after the commit finds the transaction committed. */
        @Override
        public int getOrder() {
            return HIGHEST_PRECEDENCE;
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringOutboxTransactions.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(SpringOutboxTransactions.this, this);
        }

        @Override
        public void beforeCompletion() {
            seenBeforeCommit = true;
        }

        @Override
        public void afterCommit() {
            committed = true;
        }

        /**
         * Commits what was written after the commit, by a listener that submitted the first task of its transaction there.
         * Spring would not commit it.
         */
        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(SpringOutboxTransactions.this);
            if (status == STATUS_COMMITTED && !seenBeforeCommit) {
                commitLate();
            }
        }

        private void commitLate() {
            Connection connection = null;
            lost = true; // until it is committed
            try {
                connection = DataSourceUtils.getConnection(database);
                connection.commit();
                lost = false;
            } catch (SQLException | RuntimeException e) {
                log.error("A task that was submitted after a commit was not written to the outbox, so it is lost", e);
            } finally {
                release(connection);
            }
        }

        private void release(@Nullable Connection connection) {
            DataSourceUtils.releaseConnection(connection, database);
        }
    }
}
