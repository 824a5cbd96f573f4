package dev.tandem.server.archive;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of the archive: their versions, and one partition for each day of UTC. Several servers may do the same at once; a lock
 * of PostgreSQL lets them take turns.
 */
final class ArchiveTables {

    private static final Logger log = LoggerFactory.getLogger(ArchiveTables.class);

    /** The version of the tables that this program writes. There is a file {@code <version>.sql} for each step. */
    static final int VERSION = 1;

    private static final long LOCK = 0x74616e64656d6172L; // "tandemar"
    /** PostgreSQL's code for a right that is missing. */
    private static final String NO_RIGHT = "42501";

    private static final String PREFIX = "outcomes_";
    private static final Pattern NAME = Pattern.compile(PREFIX + "\\d{8}");
    private static final DateTimeFormatter DAY = DateTimeFormatter.BASIC_ISO_DATE;

    private final String schema;

    /** @param schema a name that needs no quotes */
    ArchiveTables(String schema) {
        this.schema = schema;
    }

    /** Returns the day of UTC to whose partition a time belongs. */
    static LocalDate day(Instant time) {
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }

    /**
     * Returns the time of PostgreSQL. What is dropped or refused depends on it: a server whose clock is wrong must not drop what
     * others keep.
     */
    static Instant now(Connection on) throws SQLException {
        try (Statement statement = on.createStatement();
                ResultSet rows = statement.executeQuery("SELECT now()")) {
            rows.next();
            return rows.getObject(1, OffsetDateTime.class).toInstant();
        }
    }

    /**
     * Creates the tables, or brings them to this version.
     *
     * @throws SQLException if PostgreSQL refuses it
     * @throws IllegalStateException if a later version of Tandem has made them
     */
    void migrate(Connection on) throws SQLException {
        locked(on, statement -> {
            if (!exists(on, "version")) {
                createSchema(on, statement);
                statement.execute("CREATE TABLE " + schema + ".version (version integer NOT NULL)");
                statement.execute("INSERT INTO " + schema + ".version VALUES (0)");
            }
            int found = version(statement);
            if (found > VERSION) {
                throw new IllegalStateException("The schema '" + schema + "' is of a later version of Tandem (" + found
                        + ", this server knows " + VERSION + "): update this server");
            }
            for (int next = found + 1; next <= VERSION; next++) {
                statement.execute(script(next));
                statement.execute("UPDATE " + schema + ".version SET version = " + next);
                log.info("The archive's schema '{}' has version {} now", schema, next);
            }
        });
    }

    /** Creates the schema, unless it exists: PostgreSQL asks for a right on the database even if there is nothing to create. */
    private void createSchema(Connection on, Statement statement) throws SQLException {
        if (schemaExists(on)) {
            return;
        }
        try {
            statement.execute("CREATE SCHEMA IF NOT EXISTS " + schema);
        } catch (SQLException e) {
            if (NO_RIGHT.equals(e.getSQLState())) {
                throw new SQLException(
                        "The schema '" + schema
                                + "' does not exist, and the user may not create it: run \"CREATE SCHEMA "
                                + schema + " AUTHORIZATION " + on.getMetaData().getUserName()
                                + "\" in its database as a superuser",
                        e.getSQLState(),
                        e);
            }
            throw e;
        }
    }

    private boolean schemaExists(Connection on) throws SQLException {
        try (PreparedStatement query =
                on.prepareStatement("SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = ?)")) {
            query.setString(1, schema);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    private int version(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("SELECT version FROM " + schema + ".version")) {
            return rows.next() ? rows.getInt(1) : 0;
        }
    }

    private String script(int version) {
        try (InputStream file = ArchiveTables.class.getResourceAsStream(version + ".sql")) {
            if (file == null) {
                throw new IllegalStateException("There is no file " + version + ".sql");
            }
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).replace("${schema}", schema);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates the partition of a day if it is missing. */
    void ensure(Connection on, LocalDate day) throws SQLException {
        String table = PREFIX + DAY.format(day);
        String name = schema + "." + table;
        if (exists(on, table)) {
            return;
        }
        locked(on, statement -> {
            if (!exists(on, table)) {
                // Attached, because a table that is created as a partition waits for all who read the others.
                statement.execute("CREATE TABLE " + name + " (LIKE " + schema + ".outcomes INCLUDING ALL)");
                statement.execute("ALTER TABLE " + schema + ".outcomes ATTACH PARTITION " + name + " FOR VALUES FROM ('"
                        + day + " 00:00:00+00') TO ('" + day.plusDays(1) + " 00:00:00+00')");
            }
        });
    }

    /** Drops the partitions of days before this one. Returns which. */
    List<LocalDate> dropBefore(Connection on, LocalDate first) throws SQLException {
        List<LocalDate> dropped = new ArrayList<>();
        for (LocalDate day : days(on)) {
            if (day.isBefore(first)) {
                locked(
                        on,
                        statement ->
                                statement.execute("DROP TABLE IF EXISTS " + schema + "." + PREFIX + DAY.format(day)));
                dropped.add(day);
            }
        }
        return dropped;
    }

    /** Returns the days that have a partition, in their order. */
    List<LocalDate> days(Connection on) throws SQLException {
        List<LocalDate> days = new ArrayList<>();
        try (PreparedStatement query =
                on.prepareStatement("SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid"
                        + " WHERE i.inhparent = to_regclass(?) ORDER BY c.relname")) {
            query.setString(1, schema + ".outcomes");
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    String name = rows.getString(1);
                    if (NAME.matcher(name).matches()) {
                        days.add(LocalDate.parse(name.substring(PREFIX.length()), DAY));
                    }
                }
            }
        }
        return days;
    }

    /** Asks the catalog as a table: {@code to_regclass} may answer from a cache that does not know what others just made. */
    private boolean exists(Connection on, String table) throws SQLException {
        try (PreparedStatement query = on.prepareStatement("SELECT EXISTS (SELECT 1 FROM pg_class c"
                + " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ? AND c.relname = ?)")) {
            query.setString(1, schema);
            query.setString(2, table);
            try (ResultSet rows = query.executeQuery()) {
                return rows.next() && rows.getBoolean(1);
            }
        }
    }

    private interface Change {
        void run(Statement statement) throws SQLException;
    }

    /** Makes a change in one transaction, while no other server makes one. */
    private static void locked(Connection on, Change change) throws SQLException {
        on.setAutoCommit(false);
        try (Statement statement = on.createStatement()) {
            // Who reads or writes holds locks. So as not to hold up all who come later, a change waits for a short time
            // only.
            statement.execute("SET LOCAL lock_timeout = '3s'");
            statement.execute("SELECT pg_advisory_xact_lock(" + LOCK + ")");
            change.run(statement);
            on.commit();
        } catch (SQLException | RuntimeException e) {
            on.rollback();
            throw e;
        } finally {
            on.setAutoCommit(true);
        }
    }
}
