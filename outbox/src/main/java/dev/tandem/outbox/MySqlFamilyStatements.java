package dev.tandem.outbox;

import dev.tandem.outbox.OutboxRow.Lane;
import dev.tandem.outbox.OutboxRow.Version;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The statements of a relay, for MySQL and MariaDB. Lists are written into the text, because there are no arrays. */
final class MySqlFamilyStatements extends RelayStatements {

    private static final String SOON = "UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND";
    private static final String REGISTER = "INSERT INTO tandem_outbox_relay (id, alive_until) VALUES (?, " + SOON + ")"
            + " ON DUPLICATE KEY UPDATE alive_until = VALUES(alive_until)";
    private static final String DEAD =
            "SELECT id FROM tandem_outbox_relay WHERE alive_until < UTC_TIMESTAMP(6) FOR UPDATE SKIP LOCKED";
    private static final String BURY = "DELETE FROM tandem_outbox_relay WHERE id = ?";
    private static final String COUNT = "SELECT count(*) FROM tandem_outbox_relay";
    private static final String RENEW = "UPDATE tandem_outbox_bucket SET lease_until = " + SOON
            + " WHERE owner = ? AND lease_until > UTC_TIMESTAMP(6)";
    private static final String OWNED =
            "SELECT bucket FROM tandem_outbox_bucket WHERE owner = ? AND lease_until > UTC_TIMESTAMP(6)";
    private static final String FREE = "SELECT bucket FROM tandem_outbox_bucket"
            + " WHERE (owner IS NULL OR lease_until <= UTC_TIMESTAMP(6)) AND bucket IN ";
    private static final String SKIP_LOCKED = " FOR UPDATE SKIP LOCKED";
    private static final String CLAIM =
            "UPDATE tandem_outbox_bucket SET owner = ?, lease_until = " + SOON + " WHERE bucket IN ";
    private static final String RELEASE = "UPDATE tandem_outbox_bucket SET owner = NULL,"
            + " lease_until = '1970-01-01 00:00:00' WHERE owner = ? AND bucket IN ";

    // Columns are set one after another: passed_by takes the owner before that is gone.
    private static final String PASS = "UPDATE tandem_outbox_bucket SET passed_by = owner, passed_until = " + SOON
            + ", owner = NULL, lease_until = '1970-01-01 00:00:00' WHERE owner = ? AND bucket IN ";
    private static final String PASSED =
            "SELECT bucket, passed_by FROM tandem_outbox_bucket WHERE passed_until > UTC_TIMESTAMP(6)";

    // The rows are read in the order of the primary key, so that not all of them are sorted.
    private static final String READ = columns("TIMESTAMPDIFF(MICROSECOND, unfit_since, UTC_TIMESTAMP(6)) DIV 1000")
            + " FORCE INDEX (PRIMARY) WHERE refused_at IS NULL AND bucket IN ";
    private static final String NOT_HALTED = " AND (task_key IS NULL OR (queue, task_key) NOT IN (SELECT r.queue,"
            + " r.task_key FROM tandem_outbox r WHERE r.refused_at IS NOT NULL AND r.task_key IS NOT NULL))";
    private static final String ORDER = " ORDER BY id LIMIT ?";

    private static final String DELETE = "DELETE FROM tandem_outbox WHERE id IN ";
    private static final String AS_READ = " WHERE id = ? AND row_uuid = ? AND failures = ?";
    private static final String REFUSE =
            "UPDATE tandem_outbox SET refused_at = UTC_TIMESTAMP(3), error = ?, failures = failures + 1,"
                    + " unfit_since = NULL" + AS_READ + " AND refused_at IS NULL";
    private static final String FAIL = "UPDATE tandem_outbox SET failures = failures + 1, error = ?" + AS_READ;
    private static final String UNFIT = "UPDATE tandem_outbox SET failures = failures + 1, error = ?,"
            + " unfit_since = coalesce(unfit_since, UTC_TIMESTAMP(6))" + AS_READ;

    private final MySqlFamily dialect;
    /** Whether the driver would read all rows into memory at once unless it is told to stream them. */
    private final boolean streams;

    private final long leaseMicros;
    private final boolean haltWhenRefused;
    private final int isolation;

    MySqlFamilyStatements(
            Connection connection, String relay, Duration lease, boolean haltWhenRefused, MySqlFamily dialect)
            throws SQLException {
        super(connection, relay, dialect);
        this.dialect = dialect;
        this.streams = connection.getMetaData().getDriverName().startsWith("MySQL");
        this.leaseMicros = lease.toMillis() * 1_000;
        this.haltWhenRefused = haltWhenRefused;
        connection.setAutoCommit(true);
        this.isolation = connection.getTransactionIsolation();
        // Locks are held on the rows that are changed, and on no gaps between them.
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        long seconds = Math.max(1, lease.toSeconds());
        try (Statement statement = connection.createStatement()) {
            // A relay that is frozen in a transaction must not hold its locks for longer than its lease. It uses its
            // connection several times in a lease otherwise.
            statement.execute("SET SESSION wait_timeout = " + seconds + ", SESSION innodb_lock_wait_timeout = "
                    + seconds + dialect.sessionSettings(false));
        }
        connection.setAutoCommit(false);
    }

    @Override
    int register(boolean asleep) throws SQLException {
        try (PreparedStatement register = connection.prepareStatement(REGISTER)) {
            register.setString(1, relay);
            register.setLong(2, leaseMicros);
            register.executeUpdate();
        }
        bury();
        try (PreparedStatement count = connection.prepareStatement(COUNT)) {
            return numbers(count).get(0).intValue();
        }
    }

    private void bury() throws SQLException {
        try (PreparedStatement dead = connection.prepareStatement(DEAD);
                PreparedStatement bury = connection.prepareStatement(BURY)) {
            List<String> ids = new ArrayList<>();
            try (ResultSet rows = dead.executeQuery()) {
                while (rows.next()) {
                    ids.add(rows.getString(1));
                }
            }
            for (String id : ids) {
                bury.setString(1, id);
                bury.executeUpdate();
            }
        }
    }

    @Override
    Set<Integer> renewed() throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(RENEW)) {
            renew.setLong(1, leaseMicros);
            renew.setString(2, relay);
            renew.executeUpdate();
        }
        return owned();
    }

    private Set<Integer> owned() throws SQLException {
        try (PreparedStatement owned = connection.prepareStatement(OWNED)) {
            owned.setString(1, relay);
            return buckets(owned);
        }
    }

    @Override
    Set<Integer> claimed(int most, Set<Integer> among) throws SQLException {
        if (among.isEmpty()) {
            return Set.of();
        }
        List<Integer> free;
        try (PreparedStatement select = connection.prepareStatement(FREE + list(among) + SKIP_LOCKED)) {
            free = new ArrayList<>(buckets(select));
        }
        Collections.shuffle(free);
        Set<Integer> taken = Set.copyOf(free.subList(0, Math.min(most, free.size())));
        if (!taken.isEmpty()) {
            try (PreparedStatement claim = connection.prepareStatement(CLAIM + list(taken))) {
                claim.setString(1, relay);
                claim.setLong(2, leaseMicros);
                claim.executeUpdate();
            }
        }
        return taken;
    }

    @Override
    void release(Set<Integer> buckets) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(RELEASE + list(buckets))) {
            release.setString(1, relay);
            release.executeUpdate();
        }
    }

    @Override
    void pass(Set<Integer> buckets, long millis) throws SQLException {
        try (PreparedStatement pass = connection.prepareStatement(PASS + list(buckets))) {
            pass.setLong(1, millis * 1_000);
            pass.setString(2, relay);
            pass.executeUpdate();
        }
    }

    @Override
    String passed() {
        return PASSED;
    }

    /** MySQL's driver streams with this size only, and MariaDB's knows no such size. */
    @Override
    int fetchSize() {
        return streams ? Integer.MIN_VALUE : super.fetchSize();
    }

    /** Does nothing: nobody is notified here. */
    @Override
    void sleep(boolean asleep) {}

    @Override
    List<OutboxRow> rows(Set<Integer> buckets, RelayCore.Exclusions without, int limit, long maxBytes)
            throws SQLException {
        Set<Integer> owned = new HashSet<>(owned());
        // A relay may have lost buckets without knowing it, as when its machine was paused.
        owned.retainAll(buckets);
        if (owned.isEmpty()) {
            return List.of();
        }
        StringBuilder sql = new StringBuilder(READ).append(list(owned));
        if (!without.queues().isEmpty()) {
            sql.append(" AND queue NOT IN ").append(places(without.queues().size()));
        }
        if (!without.ids().isEmpty()) {
            sql.append(" AND id NOT IN ").append(list(without.ids()));
        }
        if (!without.keys().isEmpty()) {
            // The separator cannot be part of a queue's name.
            sql.append(" AND (task_key IS NULL OR concat(queue, char(10 USING utf8mb4), task_key) NOT IN ")
                    .append(places(without.keys().size()))
                    .append(')');
        }
        if (haltWhenRefused) {
            sql.append(NOT_HALTED);
        }
        try (PreparedStatement select =
                connection.prepareStatement(sql.append(ORDER).toString())) {
            int index = 1;
            for (String queue : without.queues()) {
                select.setString(index++, queue);
            }
            for (Lane lane : without.keys()) {
                select.setString(index++, name(lane));
            }
            select.setInt(index, limit);
            return rows(select, maxBytes);
        }
    }

    /** @param numbers not empty */
    private static String list(Collection<? extends Number> numbers) {
        return numbers.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    }

    private static String places(int count) {
        return "(" + "?, ".repeat(count - 1) + "?)";
    }

    @Override
    void delete(List<Version> rows) throws SQLException {
        try (Statement delete = connection.createStatement()) {
            String uuids = rows.stream()
                    .map(row -> "'" + row.uuid() + "'")
                    .collect(Collectors.joining(", ", " AND row_uuid IN (", ")"));
            delete.executeUpdate(DELETE + list(rows.stream().map(Version::id).toList()) + uuids);
        }
    }

    @Override
    String refusal() {
        return REFUSE;
    }

    @Override
    String failure() {
        return FAIL;
    }

    @Override
    String unfitness() {
        return UNFIT;
    }

    @Override
    public void close() throws SQLException {
        try (connection;
                Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION wait_timeout = DEFAULT, SESSION innodb_lock_wait_timeout = DEFAULT"
                    + dialect.sessionSettings(true));
            connection.commit();
            connection.setTransactionIsolation(isolation);
        }
    }
}
