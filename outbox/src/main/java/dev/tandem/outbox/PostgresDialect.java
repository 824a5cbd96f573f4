package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** PostgreSQL 13 and later. */
final class PostgresDialect implements Dialect {

    static final PostgresDialect INSTANCE = new PostgresDialect();

    private static final String RAISE_TOKEN =
            "INSERT INTO tandem_once_key AS k (queue, task_key, token) VALUES (?, ?, ?)"
                    + " ON CONFLICT (queue, task_key) DO UPDATE SET token = excluded.token, used_at = now()"
                    + " WHERE k.token <= excluded.token";
    private static final String RECORD =
            "INSERT INTO tandem_once (queue, task, token) VALUES (?, ?, ?) ON CONFLICT (queue, task) DO NOTHING";

    private PostgresDialect() {}

    @Override
    public String script() {
        return "db/tandem/postgresql/V1__tandem_outbox.sql";
    }

    @Override
    public boolean isInstalled(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT to_regclass('tandem_outbox') IS NOT NULL")) {
            return found.next() && found.getBoolean(1);
        }
    }

    @Override
    public void setInstant(PreparedStatement statement, int index, @Nullable Instant value) throws SQLException {
        statement.setTimestamp(index, value != null ? Timestamp.from(value) : null);
    }

    @Override
    public @Nullable Instant instant(ResultSet row, int index) throws SQLException {
        Timestamp value = row.getTimestamp(index);
        return value != null ? value.toInstant() : null;
    }

    @Override
    public String oldest() {
        return "SELECT (extract(epoch FROM clock_timestamp() - written_at) * 1000)::bigint FROM tandem_outbox"
                + " WHERE refused_at IS NULL ORDER BY id LIMIT 1";
    }

    @Override
    public RelayStatements relayTables(Connection connection, String relay, Duration lease, boolean haltWhenRefused)
            throws SQLException {
        return new PostgresStatements(connection, relay, lease, haltWhenRefused);
    }

    @Override
    public boolean raiseToken(Connection connection, String queue, String key, long token) throws SQLException {
        return update(connection, RAISE_TOKEN, queue, key, token) == 1;
    }

    @Override
    public boolean record(Connection connection, String queue, String task, long token) throws SQLException {
        return update(connection, RECORD, queue, task, token) == 1;
    }

    private static int update(Connection connection, String sql, String queue, String name, long token)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, queue);
            statement.setString(2, name);
            statement.setLong(3, token);
            return statement.executeUpdate();
        }
    }

    @Override
    public String deleteOlder(String table, String column) {
        return "DELETE FROM " + table + " WHERE " + column + " < now() - make_interval(secs => ?)";
    }
}
