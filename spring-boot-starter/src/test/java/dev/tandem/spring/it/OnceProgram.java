package dev.tandem.spring.it;

import dev.tandem.api.HandlerOptions;
import dev.tandem.api.Result;
import dev.tandem.api.RetryPolicy;
import dev.tandem.api.TaskContext;
import dev.tandem.outbox.Once;
import dev.tandem.outbox.StaleTokenException;
import dev.tandem.runtime.Tandem;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * An executor whose handlers write with {@link Once}. A task of the type {@code again} fails after its commit, as often as it
 * may; one of the type {@code wait} writes once there is a row in the table {@code gate}.
 */
final class OnceProgram {

    private static final long POLL_MILLIS = 20;

    private final PGSimpleDataSource database = new PGSimpleDataSource();
    private final String name;

    private OnceProgram(String url, String name) {
        database.setUrl(url);
        this.name = name;
    }

    /** @param arguments the settings file, the queue, the database's URL, and what the program calls itself */
    public static void main(String[] arguments) {
        start(arguments[0], arguments[1], arguments[2], arguments[3]);
    }

    static Tandem start(String settings, String queue, String url, String name) {
        OnceProgram program = new OnceProgram(url, name);
        HandlerOptions options =
                HandlerOptions.NONE.withMaxAttempts(4).withBackoff(RetryPolicy.fixed(Duration.ofMillis(50)));
        return Tandem.connect(Path.of(settings))
                .queue(queue)
                .handler("again", program::again, options)
                .handler("wait", program::await, options)
                .start();
    }

    private Result again(TaskContext task) throws SQLException {
        write(task);
        if (!task.isLastAttempt()) {
            throw new IllegalStateException("fails after the commit");
        }
        return Result.done();
    }

    private Result await(TaskContext task) throws SQLException, InterruptedException {
        execute("INSERT INTO begun VALUES (?, ?)", task);
        while (isClosed()) {
            Thread.sleep(POLL_MILLIS);
        }
        try {
            write(task);
        } catch (StaleTokenException e) {
            execute("INSERT INTO refused VALUES (?, ?)", task);
            throw e;
        }
        return Result.done();
    }

    private void write(TaskContext task) throws SQLException {
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            if (Once.begin(connection, task)) {
                insert(connection, "INSERT INTO effects VALUES (?, ?)", task);
            }
            connection.commit();
        }
    }

    private void execute(String sql, TaskContext task) throws SQLException {
        try (Connection connection = database.getConnection()) {
            insert(connection, sql, task);
        }
    }

    private void insert(Connection connection, String sql, TaskContext task) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(sql)) {
            insert.setString(1, name);
            insert.setInt(2, task.attempt());
            insert.executeUpdate();
        }
    }

    private boolean isClosed() throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet gate = statement.executeQuery("SELECT 1 FROM gate")) {
            return !gate.next();
        }
    }
}
