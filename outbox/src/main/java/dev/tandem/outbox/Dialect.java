package dev.tandem.outbox;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The differences between databases. Thread-safe. */
sealed interface Dialect permits PostgresDialect, MySqlFamily {

    /** The first one with collations and defaults of columns as the tables need them. */
    int OLDEST_MYSQL = 8;

    /**
     * Returns the dialect of a database.
     *
     * @throws SQLFeatureNotSupportedException if the database is none of those that the outbox knows
     */
    static Dialect of(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        return find(database)
                .orElseThrow(() -> new SQLFeatureNotSupportedException("Tandem's outbox does not know the database "
                        + nameOf(database) + ": it works with PostgreSQL, MySQL 8 and MariaDB"));
    }

    /** Returns the dialect of a database; empty if the outbox does not know it. */
    static Optional<Dialect> find(DatabaseMetaData database) throws SQLException {
        String name = database.getDatabaseProductName().toLowerCase(Locale.ROOT);
        if (name.equals("postgresql")) {
            return Optional.of(PostgresDialect.INSTANCE);
        }
        // MySQL's driver calls both of them MySQL.
        String version = database.getDatabaseProductVersion().toLowerCase(Locale.ROOT);
        if (name.equals("mariadb") || name.equals("mysql") && version.contains("mariadb")) {
            return Optional.of(MariaDbDialect.INSTANCE);
        }
        boolean mySql = name.equals("mysql") && database.getDatabaseMajorVersion() >= OLDEST_MYSQL;
        return mySql ? Optional.of(MySqlDialect.INSTANCE) : Optional.empty();
    }

    private static String nameOf(DatabaseMetaData database) {
        try {
            return database.getDatabaseProductName() + " " + database.getDatabaseProductVersion();
        } catch (SQLException e) {
            return "of this connection";
        }
    }

    /** Returns the script that makes the tables, as a resource. */
    String script();

    boolean isInstalled(Connection connection) throws SQLException;

    void setInstant(PreparedStatement statement, int index, @Nullable Instant value) throws SQLException;

    @Nullable
    Instant instant(ResultSet row, int index) throws SQLException;

    /** Returns a query of the age of the oldest row, in milliseconds. */
    String oldest();

    /**
     * Returns the statements of a relay.
     *
     * @param connection of which the result takes care from now on
     */
    RelayStatements relayTables(Connection connection, String relay, Duration lease, boolean haltWhenRefused)
            throws SQLException;

    /**
     * Records the token of a writer for its key.
     *
     * @return whether it is at least the highest one that has written
     */
    boolean raiseToken(Connection connection, String queue, String key, long token) throws SQLException;

    /**
     * Records that a task has its effects.
     *
     * @return whether that had not been recorded
     */
    boolean record(Connection connection, String queue, String task, long token) throws SQLException;

    /** Returns a statement that deletes what is older than an age in seconds. */
    String deleteOlder(String table, String column);
}
