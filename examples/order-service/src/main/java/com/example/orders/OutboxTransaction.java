package com.example.orders;

import dev.tandem.outbox.OutboxTransactions;
import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Finds the transaction that Spring has opened for a thread. */
final class OutboxTransaction implements OutboxTransactions {

    private final DataSource database;

    OutboxTransaction(DataSource database) {
        this.database = database;
    }

    @Override
    public Connection connection() {
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            throw new IllegalStateException(
                    "Tasks are submitted in a transaction of the database: call the gateway from a method with"
                            + " @Transactional");
        }
        return DataSourceUtils.getConnection(database);
    }

    @Override
    public void afterEnd(Runnable committed, Runnable rolledBack) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                (status == STATUS_COMMITTED ? committed : rolledBack).run();
            }
        });
    }
}
