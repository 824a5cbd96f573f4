package com.example.orders;

import dev.tandem.api.TaskContext;
import dev.tandem.outbox.Once;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionTemplate;

/** Has the effects of a task happen exactly once, by a row in their own transaction. */
@Component
class DatabaseEffects implements Effects {

    private final TransactionTemplate transaction;
    private final DataSource database;

    DatabaseEffects(TransactionTemplate transaction, DataSource database) {
        this.transaction = transaction;
        this.database = database;
    }

    @Override
    public void once(TaskContext task, Runnable effects) {
        transaction.executeWithoutResult(status -> {
            if (begin(task)) {
                effects.run();
            }
        });
    }

    private boolean begin(TaskContext task) {
        Connection connection = DataSourceUtils.getConnection(database);
        try {
            return Once.begin(connection, task);
        } catch (SQLException e) {
            throw new IllegalStateException("The database refused to record the task " + task.id(), e);
        } finally {
            DataSourceUtils.releaseConnection(connection, database);
        }
    }
}
