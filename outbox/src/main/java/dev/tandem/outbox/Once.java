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
 * <p>A task is recognised by its deduplication key, which everything that comes from the outbox has. A task without one needs
 * a name that the handler gives. Its {@linkplain TaskContext#position() position} does not serve: after a loss at the broker or
 * in Redis, it may change or be given again.
 */
public final class Once {

    private static final int MAX_NAME = 512;
    private static final int MAX_SCOPE = 64;

    /** The length of the column in MariaDB. */
    private static final int MAX_QUEUE = 200;

    private Once() {}

    /**
     * Records in the connection's open transaction that the task has its effects. To be called before the handler writes
     * anything else in that transaction.
     *
     * <p>Another attempt that is at this point in an open transaction, at the same task or another one of its key, is waited
     * for.
     *
     * @return true if the handler must write now, and commit; false if an attempt at the task has committed its effects
     * @throws StaleTokenException if an attempt with a higher token has written for this key. Let it end the attempt
     * @throws IllegalStateException if the task has no deduplication key, or the connection commits each statement by itself
     * @throws SQLException if the database refuses, as when the tables of Tandem are missing
     */
    public static boolean begin(Connection connection, TaskContext task) throws SQLException {
        return begin(connection, task.queue(), nameOf(task), task);
    }

    /**
     * Records like {@link #begin(Connection, TaskContext)} a task that the handler names.
     *
     * @param name what no other task of the queue has, and each copy of this one: such as a number in its payload, or the
     *     {@linkplain TaskContext#id() id} if each publisher gives every task its own, as {@code TandemClient} does. 1 to 512
     *     characters
     */
    public static boolean begin(Connection connection, TaskContext task, String name) throws SQLException {
        return begin(connection, task.queue(), "name:" + requireLength("name", name, MAX_NAME), task);
    }

    /**
     * Records like {@link #begin(Connection, TaskContext, String)} in a scope of its own. Two applications that use one database
     * and both get all tasks of a queue, in consumer groups of their own, need one each: otherwise only the first one would
     * write.
     *
     * @param scope such as the name of the consumer group, 1 to 64 characters without a slash
     */
    public static boolean begin(Connection connection, TaskContext task, String name, String scope)
            throws SQLException {
        if (requireLength("scope", scope, MAX_SCOPE).indexOf('/') >= 0) {
            throw new IllegalArgumentException("The scope '" + scope + "' has a slash: leave it out");
        }
        String queue = requireLength("scope with its queue", scope + "/" + task.queue(), MAX_QUEUE);
        return begin(connection, queue, "name:" + requireLength("name", name, MAX_NAME), task);
    }

    private static boolean begin(Connection connection, String queue, String name, TaskContext task)
            throws SQLException {
        Transactions.require(connection, "Once.begin");
        Dialect dialect = Dialect.of(connection);
        String key = task.key();
        if (key != null && !dialect.raiseToken(connection, queue, key, task.token())) {
            throw new StaleTokenException("A later attempt has written for a task of this key in queue '" + task.queue()
                    + "', so the attempt with token " + task.token() + " must not write");
        }
        return dialect.record(connection, queue, name, task.token());
    }

    private static String nameOf(TaskContext task) {
        String dedupKey = task.dedupKey();
        if (dedupKey == null) {
            throw new IllegalStateException("The task " + task.id() + " has no deduplication key, by which Once could"
                    + " recognise it: submit it with one, or name it: Once.begin(connection, task, name)");
        }
        return "dedup:" + dedupKey;
    }

    private static String requireLength(String what, String text, int max) {
        if (text.isEmpty() || text.length() > max) {
            throw new IllegalArgumentException(
                    "The " + what + " has " + text.length() + " characters, it must have 1 to " + max);
        }
        return text;
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
