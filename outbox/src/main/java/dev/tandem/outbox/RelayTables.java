package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.outbox.OutboxRow.Lane;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The statements of a relay, for PostgreSQL. Each method is one transaction. Used by one thread. */
final class RelayTables implements AutoCloseable {

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
                    + " WHERE owner IS NULL OR lease_until <= clock_timestamp()"
                    + " ORDER BY random() LIMIT ? FOR UPDATE SKIP LOCKED) RETURNING bucket";
    private static final String RELEASE = "UPDATE tandem_outbox_bucket SET owner = NULL, lease_until = '-infinity'"
            + " WHERE owner = ? AND bucket = ANY(?)";
    private static final String LEAVE = "DELETE FROM tandem_outbox_relay WHERE id = ?";
    private static final String SLEEP = "UPDATE tandem_outbox_relay SET asleep = ? WHERE id = ?";

    // The separator cannot be part of a queue's name. The last condition is a subquery of its own for each row, so that
    // the
    // rows are read in the order of the primary key, and not all of them are sorted.
    private static final String READ = "SELECT id, bucket, queue, type, task_key, task_id, dedup_key, headers, payload,"
            + " not_before, timeout_ms, max_attempts FROM tandem_outbox o"
            + " WHERE bucket = ANY(?) AND refused_at IS NULL AND queue <> ALL(?) AND id <> ALL(?)"
            + " AND (task_key IS NULL OR queue || E'\\n' || task_key <> ALL(?))";
    // Without these the planner, which may not know yet how large the table is, sorts all of it for each read, or
    // keeps a plan in which the excluded keys are compared one by one.
    private static final String READ_IN_ORDER = "SET LOCAL plan_cache_mode = force_custom_plan;"
            + " SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off";
    private static final String NOT_HALTED = " AND (task_key IS NULL OR (SELECT true FROM tandem_outbox r WHERE"
            + " r.refused_at IS NOT NULL AND r.queue = o.queue AND r.task_key = o.task_key LIMIT 1) IS NULL)";
    private static final String ORDER = " ORDER BY id LIMIT ?";

    private static final String DELETE = "DELETE FROM tandem_outbox WHERE id = ANY(?)";
    private static final String REFUSE =
            "UPDATE tandem_outbox SET refused_at = now(), error = ?, failures = failures + 1 WHERE id = ?";
    private static final String FAIL = "UPDATE tandem_outbox SET failures = failures + 1, error = ? WHERE id = ?";

    private static final int FETCH = 200;
    private static final int MAX_ERROR = 1_000;
    private static final int ROW_OVERHEAD = 400;

    private final Connection connection;
    private final String relay;
    private final double leaseSeconds;
    private final String read;

    /** @param connection of which this object takes care from now on */
    RelayTables(Connection connection, String relay, Duration lease, boolean haltWhenRefused) throws SQLException {
        this.connection = connection;
        this.relay = relay;
        this.leaseSeconds = lease.toMillis() / 1_000.0;
        this.read = READ + (haltWhenRefused ? NOT_HALTED : "") + ORDER;
        connection.setAutoCommit(true);
        try (Statement statement = connection.createStatement()) {
            // A relay that is frozen in a transaction must not hold its locks for longer than its lease.
            statement.execute("SET idle_in_transaction_session_timeout = " + lease.toMillis());
        }
        connection.setAutoCommit(false);
    }

    /**
     * Renews the leases of this relay, takes free buckets up to its share, and gives back those beyond it.
     *
     * @param busy buckets that cannot be given back now
     * @return the buckets that it has for a lease, counted from the call
     */
    Set<Integer> renew(Set<Integer> busy, boolean asleep) throws SQLException {
        return inTransaction(() -> {
            try (PreparedStatement register = connection.prepareStatement(REGISTER)) {
                register.setString(1, relay);
                register.setDouble(2, leaseSeconds);
                register.setBoolean(3, asleep);
                register.executeUpdate();
            }
            int relays;
            try (PreparedStatement bury = connection.prepareStatement(BURY);
                    PreparedStatement count = connection.prepareStatement(COUNT)) {
                bury.executeUpdate();
                relays = (int) numbers(count).get(0).longValue();
            }
            int share = (Outbox.BUCKETS + relays - 1) / relays;
            Set<Integer> owned = new HashSet<>();
            try (PreparedStatement renew = connection.prepareStatement(RENEW)) {
                renew.setDouble(1, leaseSeconds);
                renew.setString(2, relay);
                numbers(renew).forEach(each -> owned.add(each.intValue()));
            }
            if (owned.size() < share) {
                claim(share - owned.size(), owned);
            } else if (owned.size() > share) {
                release(owned, owned.size() - share, busy);
            }
            return owned;
        });
    }

    private void claim(int most, Set<Integer> owned) throws SQLException {
        try (PreparedStatement claim = connection.prepareStatement(CLAIM)) {
            claim.setString(1, relay);
            claim.setDouble(2, leaseSeconds);
            claim.setInt(3, most);
            numbers(claim).forEach(each -> owned.add(each.intValue()));
        }
    }

    private void release(Set<Integer> owned, int most, Set<Integer> busy) throws SQLException {
        List<Integer> surplus =
                owned.stream().filter(each -> !busy.contains(each)).limit(most).toList();
        releaseAll(surplus);
        surplus.forEach(owned::remove);
    }

    private void releaseAll(Collection<Integer> buckets) throws SQLException {
        try (PreparedStatement release = connection.prepareStatement(RELEASE)) {
            release.setString(1, relay);
            release.setArray(2, array("int2", buckets));
            release.executeUpdate();
        }
    }

    private static List<Long> numbers(PreparedStatement statement) throws SQLException {
        List<Long> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                found.add(rows.getLong(1));
            }
        }
        return found;
    }

    /** Gives everything back, so that others need not wait for a lease. */
    void leave(Set<Integer> owned) throws SQLException {
        inTransaction(() -> {
            releaseAll(owned);
            try (PreparedStatement leave = connection.prepareStatement(LEAVE)) {
                leave.setString(1, relay);
                return leave.executeUpdate();
            }
        });
    }

    /** Says whether this relay wants to be notified of new rows. */
    void sleep(boolean asleep) throws SQLException {
        inTransaction(() -> {
            try (PreparedStatement sleep = connection.prepareStatement(SLEEP)) {
                sleep.setBoolean(1, asleep);
                sleep.setString(2, relay);
                return sleep.executeUpdate();
            }
        });
    }

    /** Reads rows in the order of their ids, up to a number and about up to a number of bytes. */
    List<OutboxRow> read(Set<Integer> buckets, RelayCore.Exclusions without, int limit, long maxBytes)
            throws SQLException {
        return inTransaction(() -> {
            try (Statement planner = connection.createStatement();
                    PreparedStatement select = connection.prepareStatement(read)) {
                planner.execute(READ_IN_ORDER);
                select.setFetchSize(FETCH);
                select.setArray(1, array("int2", buckets));
                select.setArray(2, array("text", without.queues()));
                select.setArray(3, array("int8", without.ids()));
                select.setArray(
                        4,
                        array(
                                "text",
                                without.keys().stream().map(RelayTables::name).toList()));
                select.setInt(5, limit);
                List<OutboxRow> found = new ArrayList<>();
                long bytes = 0;
                try (ResultSet rows = select.executeQuery()) {
                    while (bytes < maxBytes && rows.next()) {
                        OutboxRow row = row(rows);
                        bytes += row.bytes();
                        found.add(row);
                    }
                }
                return found;
            }
        });
    }

    private static String name(Lane lane) {
        return lane.queue() + "\n" + lane.key();
    }

    private static OutboxRow row(ResultSet row) throws SQLException {
        long id = row.getLong(1);
        int bucket = row.getInt(2);
        String queue = row.getString(3);
        String key = row.getString(5);
        byte[] payload = row.getBytes(9);
        String headers = row.getString(8);
        String problem = null;
        TaskOptions options = TaskOptions.NONE;
        try {
            options = options(row, Payloads.readHeaders(headers));
        } catch (InvalidTaskException e) {
            problem = e.getMessage();
        }
        TaskRequest<Object> task = new TaskRequest<>(queue, row.getString(4), key, payload, options);
        return new OutboxRow(id, bucket, task, payload.length + headers.length() + ROW_OVERHEAD, problem);
    }

    private static TaskOptions options(ResultSet row, Map<String, String> headers) throws SQLException {
        Timestamp notBefore = row.getTimestamp(10);
        Long timeout = (Long) row.getObject(11);
        return new TaskOptions(
                row.getString(6),
                null,
                notBefore != null ? notBefore.toInstant() : null,
                timeout != null ? Duration.ofMillis(timeout) : null,
                (Integer) row.getObject(12),
                row.getString(7),
                headers);
    }

    /**
     * Records what became of rows. A row is deleted by its id, whoever has its bucket now: its task was acknowledged. The commit
     * does not wait for the disk. If the database crashes and forgets it, the rows are published again.
     */
    void settle(RelayCore.Settled settled) throws SQLException {
        inTransaction(() -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL synchronous_commit = off");
            }
            if (!settled.published().isEmpty()) {
                try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
                    delete.setArray(1, array("int8", settled.published()));
                    delete.executeUpdate();
                }
            }
            note(REFUSE, settled.refused());
            note(FAIL, settled.failed());
            return 0;
        });
    }

    private void note(String sql, Map<Long, String> reasons) throws SQLException {
        if (reasons.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            for (Map.Entry<Long, String> each : reasons.entrySet()) {
                String reason = each.getValue().replace('\0', ' ');
                update.setString(1, reason.substring(0, Math.min(reason.length(), MAX_ERROR)));
                update.setLong(2, each.getKey());
                update.addBatch();
            }
            update.executeBatch();
        }
    }

    private Array array(String type, Collection<?> values) throws SQLException {
        return connection.createArrayOf(type, values.toArray());
    }

    private interface Work<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    private <T> T inTransaction(Work<T> work) throws SQLException {
        try {
            T result = work.run();
            connection.commit();
            return result;
        } catch (SQLException | RuntimeException e) {
            try {
                connection.rollback();
            } catch (SQLException another) {
                e.addSuppressed(another);
            }
            throw e;
        }
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
