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

/** What MySQL and MariaDB have in common. Times in their tables are in UTC, whatever the zone of a session is. */
abstract sealed class MySqlFamily implements Dialect permits MySqlDialect, MariaDbDialect {

    /** The upsert of {@link #raiseToken}. Parameters: the queue, the key and the token. */
    static final String RAISE_TOKEN = "INSERT INTO tandem_once_key (queue, task_key, token) VALUES (?, ?, ?)"
            + " ON DUPLICATE KEY UPDATE used_at = IF(token <= VALUES(token), UTC_TIMESTAMP(3), used_at),"
            + " token = GREATEST(token, VALUES(token))";

    // Both columns take the longest values that there can be, so only a row that is there already is ignored.
    private static final String RECORD = "INSERT IGNORE INTO tandem_once (queue, task, token) VALUES (?, ?, ?)";

    /** Returns further settings of a relay's session, each after a comma. @param isDefault whether they end */
    abstract String sessionSettings(boolean isDefault);

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
        return new MySqlFamilyStatements(connection, relay, lease, haltWhenRefused, this);
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
