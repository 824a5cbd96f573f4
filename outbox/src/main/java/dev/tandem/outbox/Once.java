package dev.tandem.outbox;

import dev.tandem.api.TaskContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * Has the effects of a handler in a database happen exactly once, by a row in the handler's own transaction:
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * if (Once.begin(connection, task)) {
 *     ... // write
 * }
 * connection.commit();
 * }</pre>
 *
 * <p>A task is recognised by its deduplication key, which everything that comes from the outbox has, or else by its
 * {@linkplain TaskContext#position() position}. A task from RabbitMQ needs a deduplication key for this, because its
 * position may change.
 */
public final class Once {

    private Once() {}

    /**
     * Records in the connection's open transaction that the task has its effects. To be called before the handler writes
     * anything else in that transaction.
     *
     * <p>Another attempt that is at this point in an open transaction, at the same task or another one of its key, is waited
     * for.
     *
     * @return true if the handler must write now, and commit; false if an attempt at the task has committed its effects
     * @throws StaleTokenException if an attempt with a higher token has written for this key
     * @throws IllegalStateException if the connection commits each statement by itself
     * @throws SQLException if the database refuses, as when the tables of Tandem are missing
     */
    public static boolean begin(Connection connection, TaskContext task) throws SQLException {
        Transactions.require(connection, "Once.begin");
        Dialect dialect = Dialect.of(connection);
        String key = task.key();
        if (key != null && !dialect.raiseToken(connection, task.queue(), key, task.token())) {
            throw new StaleTokenException("A later attempt has written for a task of this key in queue '" + task.queue()
                    + "', so the attempt with token " + task.token() + " must not write");
        }
        return dialect.record(connection, task.queue(), nameOf(task), task.token());
    }

    private static String nameOf(TaskContext task) {
        String dedupKey = task.dedupKey();
        return dedupKey != null ? "dedup:" + dedupKey : "position:" + task.position();
    }

    /**
     * Deletes what is older than an age, in the connection's transaction.
     *
     * @param age must exceed the longest time from a task's first attempt to the last moment at which it can come again:
     *     all its attempts with their delays, the time for which an operator may retry it once it is dead, the retention of
     *     its topic, and the longest time for which an executor may be frozen
     * @return how many rows were deleted
     */
    public static int clean(Connection connection, Duration age) throws SQLException {
        if (age.isNegative() || age.isZero()) {
            throw new IllegalArgumentException("The age is " + age + ", it must be more than 0");
        }
        Dialect dialect = Dialect.of(connection);
        return delete(connection, dialect.deleteOlder("tandem_once", "done_at"), age)
                + delete(connection, dialect.deleteOlder("tandem_once_key", "used_at"), age);
    }

    private static int delete(Connection connection, String sql, Duration age) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setDouble(1, age.toMillis() / 1_000.0);
            return statement.executeUpdate();
        }
    }
}
