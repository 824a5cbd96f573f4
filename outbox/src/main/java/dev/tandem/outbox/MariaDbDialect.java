package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** MariaDB 10.6 and later. Times in its tables are in UTC, whatever the zone of a session is. */
final class MariaDbDialect implements Dialect {

    static final MariaDbDialect INSTANCE = new MariaDbDialect();

    // The number of changed rows means other things with other settings of the driver, so the token itself is asked
    // for.
    private static final String RAISE_TOKEN = "INSERT INTO tandem_once_key (queue, task_key, token) VALUES (?, ?, ?)"
            + " ON DUPLICATE KEY UPDATE used_at = IF(token <= VALUES(token), UTC_TIMESTAMP(3), used_at),"
            + " token = GREATEST(token, VALUES(token)) RETURNING token";
    // Both columns take the longest values that there can be, so only a row that is there already is ignored.
    private static final String RECORD = "INSERT IGNORE INTO tandem_once (queue, task, token) VALUES (?, ?, ?)";

    private MariaDbDialect() {}

    @Override
    public String script() {
        return "db/tandem/mariadb/V1__tandem_outbox.sql";
    }

    @Override
    public boolean isInstalled(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SELECT 1 FROM information_schema.tables"
                        + " WHERE table_schema = database() AND table_name = 'tandem_outbox'")) {
            return found.next();
        }
    }

    @Override
    public void setInstant(PreparedStatement statement, int index, @Nullable Instant value) throws SQLException {
        statement.setObject(index, value != null ? LocalDateTime.ofInstant(value, ZoneOffset.UTC) : null);
    }

    @Override
    public @Nullable Instant instant(ResultSet row, int index) throws SQLException {
        LocalDateTime value = row.getObject(index, LocalDateTime.class);
        return value != null ? value.toInstant(ZoneOffset.UTC) : null;
    }

    @Override
    public String oldest() {
        return "SELECT TIMESTAMPDIFF(MICROSECOND, written_at, UTC_TIMESTAMP(6)) DIV 1000 FROM tandem_outbox"
                + " FORCE INDEX (PRIMARY) WHERE refused_at IS NULL ORDER BY id LIMIT 1";
    }

    @Override
    public RelayStatements relayTables(Connection connection, String relay, Duration lease, boolean haltWhenRefused)
            throws SQLException {
        return new MariaDbStatements(connection, relay, lease, haltWhenRefused);
    }

    @Override
    public boolean raiseToken(Connection connection, String queue, String key, long token) throws SQLException {
        try (PreparedStatement raise = connection.prepareStatement(RAISE_TOKEN)) {
            raise.setString(1, queue);
            raise.setString(2, key);
            raise.setLong(3, token);
            try (ResultSet highest = raise.executeQuery()) {
                return highest.next() && highest.getLong(1) == token;
            }
        }
    }

    @Override
    public boolean record(Connection connection, String queue, String task, long token) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(RECORD)) {
            insert.setString(1, queue);
            insert.setString(2, task);
            insert.setLong(3, token);
            return insert.executeUpdate() == 1;
        }
    }

    @Override
    public String deleteOlder(String table, String column) {
        return "DELETE FROM " + table + " WHERE " + column
                + " < UTC_TIMESTAMP(3) - INTERVAL CAST(? * 1000000 AS SIGNED) MICROSECOND";
    }
}
