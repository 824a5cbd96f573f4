package dev.tandem.verify.worker;

import dev.tandem.api.TaskContext;
import dev.tandem.outbox.Once;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import org.postgresql.ds.PGSimpleDataSource;

/** The effects that handlers have in a database: one row for each task. */
interface Effects {

    /** No effects. */
    Effects NONE = task -> new Transaction() {
        @Override
        public boolean isFirst() {
            return true;
        }

        @Override
        public void commit() {}

        @Override
        public void close() {}
    };

    /** The transaction of one attempt. Without a commit it has no effect. */
    interface Transaction extends AutoCloseable {

        /** Returns whether no attempt has committed yet. */
        boolean isFirst();

        void commit() throws SQLException;

        @Override
        void close() throws SQLException;
    }

    Transaction begin(TaskContext task) throws SQLException;

    /** Returns the effects in a database; none if its address is empty. */
    static Effects of(String url) {
        if (url.isEmpty()) {
            return NONE;
        }
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(url);
        return task -> {
            Connection connection = database.getConnection();
            try {
                return begin(connection, task);
            } catch (SQLException | RuntimeException e) {
                connection.close();
                throw e;
            }
        };
    }

    private static Transaction begin(Connection connection, TaskContext task) throws SQLException {
        connection.setAutoCommit(false);
        boolean first = Once.begin(connection, task);
        if (first) {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO effects (id) VALUES (?)")) {
                insert.setString(1, task.id());
                insert.executeUpdate();
            }
        }
        return new Transaction() {
            @Override
            public boolean isFirst() {
                return first;
            }

            @Override
            public void commit() throws SQLException {
                connection.commit();
            }

            @Override
            public void close() throws SQLException {
                connection.close();
            }
        };
    }
}
