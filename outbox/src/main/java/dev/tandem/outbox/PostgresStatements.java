package dev.tandem.outbox;

import dev.tandem.outbox.OutboxRow.Version;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The statements of a relay, for PostgreSQL. */
final class PostgresStatements extends RelayStatements {

    private static final String REGISTER = "INSERT INTO tandem_outbox_relay (id, alive_until, asleep)"
            + " VALUES (?, clock_timestamp() + make_interval(secs => ?), ?)"
            + " ON CONFLICT (id) DO UPDATE SET alive_until = excluded.alive_until, asleep = excluded.asleep";
    private static final String BURY = "DELETE FROM tandem_outbox_relay WHERE id IN (SELECT id FROM tandem_outbox_relay"
            + " WHERE alive_until < clock_timestamp() FOR UPDATE SKIP LOCKED)";
    private static final String COUNT = "SELECT count(*) FROM tandem_outbox_relay";
    private static final String RENEW =
            "UPDATE tandem_outbox_bucket SET lease_until = clock_timestamp() + make_interval(secs => ?)"
                    + " WHERE owner = ? AND lease_until > clock_timestamp() RETURNING bucket";
    private static final String CLAIM =
            "UPDATE tandem_outbox_bucket SET owner = ?, lease_until = clock_timestamp() + make_interval(secs => ?)"
                    + " WHERE bucket IN (SELECT bucket FROM tandem_outbox_bucket"
                    + " WHERE bucket = ANY(?) AND (owner IS NULL OR lease_until <= clock_timestamp())"
                    + " ORDER BY random() LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING bucket";
    private static final String RELEASE = "UPDATE tandem_outbox_bucket SET owner = NULL, lease_until = '-infinity'"
            + " WHERE owner = ? AND bucket = ANY(?)";
    private static final String PASS = "UPDATE tandem_outbox_bucket SET owner = NULL, lease_until = '-infinity',"
            + " passed_by = owner, passed_until = clock_timestamp() + make_interval(secs => ?)"
            + " WHERE owner = ? AND bucket = ANY(?)";
    private static final String PASSED =
            "SELECT bucket, passed_by FROM tandem_outbox_bucket WHERE passed_until > clock_timestamp()";
    private static final String SLEEP = "UPDATE tandem_outbox_relay SET asleep = ? WHERE id = ?";

    // A relay may have lost buckets without knowing it, as when its machine was paused. A queue's name cannot contain
    // the separator.
    private static final String READ = columns("(extract(epoch FROM clock_timestamp() - unfit_since) * 1000)::bigint")
            + " WHERE bucket = ANY(ARRAY(SELECT b.bucket FROM tandem_outbox_bucket b WHERE b.bucket = ANY(?)"
            + " AND b.owner = ? AND b.lease_until > clock_timestamp())) AND refused_at IS NULL AND queue <> ALL(?) AND id <> ALL(?)"
            + " AND (task_key IS NULL OR queue || E'\\n' || task_key <> ALL(?))";
    // Without these the planner, which may not know yet how large the table is, sorts all of it for each read, or
    // keeps a plan in which the excluded keys are compared one by one.
    private static final String READ_IN_ORDER = "SET LOCAL plan_cache_mode = force_custom_plan;"
            + " SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";
    // A scalar subquery lets the planner read in primary-key order without a sort.
    private static final String NOT_HALTED = " AND (task_key IS NULL OR (SELECT true FROM tandem_outbox r WHERE"
            + " r.refused_at IS NOT NULL AND r.queue = o.queue AND r.task_key = o.task_key LIMIT 1) IS NULL)";
    private static final String ORDER = " ORDER BY id LIMIT ?";

    private static final String DELETE = "DELETE FROM tandem_outbox WHERE id = ANY(?) AND row_uuid = ANY(?)";
    private static final String AS_READ = " WHERE id = ? AND row_uuid = ?::uuid AND failures = ?";
    private static final String REFUSE =
            "UPDATE tandem_outbox SET refused_at = now(), error = ?, failures = failures + 1, unfit_since = NULL"
                    + AS_READ + " AND refused_at IS NULL";
    private static final String FAIL = "UPDATE tandem_outbox SET failures = failures + 1, error = ?" + AS_READ;
    private static final String UNFIT = "UPDATE tandem_outbox SET failures = failures + 1, error = ?,"
            + " unfit_since = coalesce(unfit_since, clock_timestamp())" + AS_READ;

    private final double leaseSeconds;
    private final String read;

    PostgresStatements(Connection connection, String relay, Duration lease, boolean haltWhenRefused)
            throws SQLException {
        super(connection, relay, PostgresDialect.INSTANCE);
        this.leaseSeconds = lease.toMillis() / 1_000.0;
        this.read = READ + (haltWhenRefused ? NOT_HALTED : "") + ORDER;
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            // A relay that is frozen in a transaction must not hold its locks for longer than its lease.
            statement.execute("SET idle_in_transaction_session_timeout = " + lease.toMillis());
        }
        connection.setAutoCommit(false);
    }

    @Override
    int register(boolean asleep) throws SQLException {
        try (PreparedStatement register = connection.prepareStatement(REGISTER);
                PreparedStatement bury = connection.prepareStatement(BURY);
                PreparedStatement count = connection.prepareStatement(COUNT)) {
            register.setString(1, relay);
            register.setDouble(2, leaseSeconds);
            register.setBoolean(3, asleep);
            register.executeUpdate();
            bury.executeUpdate();
            return numbers(count).get(0).intValue();
        }
    }

    @Override
    Set<Integer> renewed() throws SQLException {
        try (PreparedStatement renew = connection.prepareStatement(RENEW)) {
            renew.setDouble(1, leaseSeconds);
            renew.setString(2, relay);
            return buckets(renew);
        }
    }

    @Override
    Set<Integer> claimed(int most, Set<Integer> among) throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setString(1, relay);
            claim.setDouble(2, leaseSeconds);
            claim.setArray(3, array("int2", among));
            claim.setInt(4, most);
            return buckets(claim);
        }
    }

    @Override
    void release(Set<Integer> buckets) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(RELEASE)) {
            release.setString(1, relay);
            release.setArray(2, array("int2", buckets));
            release.executeUpdate();
        }
    }

    @Override
    void pass(Set<Integer> buckets, long millis) throws SQLException {
        try (PreparedStatement pass = connection.prepareStatement(PASS)) {
            pass.setDouble(1, millis / 1_000.0);
            pass.setString(2, relay);
            pass.setArray(3, array("int2", buckets));
            pass.executeUpdate();
        }
    }

    @Override
    String passed() {
        return PASSED;
    }

    @Override
    void sleep(boolean asleep) throws SQLException {
        inTransaction(() -> {
            try (PreparedStatement sleep = connection.prepareStatement(SLEEP)) {
                sleep.setBoolean(1, asleep);
                sleep.setString(2, relay);
                return sleep.executeUpdate();
            }
        });
    }

    @Override
    List<OutboxRow> rows(Set<Integer> buckets, RelayCore.Exclusions without, int limit, long maxBytes)
            throws SQLException {
        try (Statement planner = connection.createStatement();
                PreparedStatement select = connection.prepareStatement(read)) {
            planner.execute(READ_IN_ORDER);
            select.setArray(1, array("int2", buckets));
            select.setString(2, relay);
            select.setArray(3, array("text", without.queues()));
            select.setArray(4, array("int8", without.ids()));
            select.setArray(
                    5,
                    array(
                            "text",
                            without.keys().stream().map(RelayStatements::name).toList()));
            select.setInt(6, limit);
            return rows(select, maxBytes);
        }
    }

    /** The commit does not wait for the disk. */
    @Override
    void beginSettling() throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET LOCAL synchronous_commit = off");
        }
    }

    @Override
    void delete(List<Version> rows) throws SQLException {
        try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
            delete.setArray(1, array("int8", rows.stream().map(Version::id).toList()));
            delete.setArray(2, array("uuid", rows.stream().map(Version::uuid).toList()));
            delete.executeUpdate();
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

    private Array array(String type, Collection<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }

    @Override
    public void close() throws SQLException {
        try (connection;
                Statement statement = connection.createStatement()) {
            statement.execute("RESET idle_in_transaction_session_timeout");
            connection.commit();
        }
    }
}
