package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.outbox.OutboxRow.Lane;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The statements of a relay. Each public step is one transaction. Used by one thread. */
abstract class RelayTables implements AutoCloseable {

    private static final String LEAVE = "DELETE FROM tandem_outbox_relay WHERE id = ?";

    static final String COLUMNS = "SELECT id, bucket, queue, type, task_key, task_id, dedup_key, headers, payload,"
            + " not_before, timeout_ms, max_attempts FROM tandem_outbox o";

    static final int FETCH = 200;

    private static final int MAX_ERROR = 1_000;
    private static final int ROW_OVERHEAD = 400;

    final Connection connection;
    final String relay;
    private final Dialect dialect;

    /** @param connection of which this object takes care from now on */
    RelayTables(Connection connection, String relay, Dialect dialect) {
        this.connection = connection;
        this.relay = relay;
        this.dialect = dialect;
    }

    // ---- what a database does in its own way; each is called inside a transaction

    /** Says that this relay lives, and forgets those that do not. Returns how many there are. */
    abstract int register(boolean asleep) throws SQLException;

    /** Renews the leases of this relay and returns its buckets. */
    abstract Set<Integer> renewed() throws SQLException;

    /** Takes free buckets, up to a number. */
    abstract Set<Integer> claimed(int most) throws SQLException;

    abstract void release(Set<Integer> buckets) throws SQLException;

    abstract List<OutboxRow> rows(Set<Integer> buckets, RelayCore.Exclusions without, int limit, long maxBytes)
            throws SQLException;

    abstract void delete(List<Long> ids) throws SQLException;

    /** Returns the statement that sets a row aside. Its parameters are the reason and the id. */
    abstract String refusal();

    /** Returns the statement that notes a failure. Its parameters are the reason and the id. */
    abstract String failure();

    /** Says whether this relay wants to be notified of new rows. */
    abstract void sleep(boolean asleep) throws SQLException;

    // ---- what a relay does

    /**
     * Renews the leases of this relay, takes free buckets up to its share, and gives back those beyond it.
     *
     * @param busy buckets that cannot be given back now
     * @return the buckets that it has for a lease, counted from the call
     */
    final Set<Integer> renew(Set<Integer> busy, boolean asleep) throws SQLException {
        return inTransaction(() -> {
            int relays = Math.max(1, register(asleep));
            int share = (Outbox.BUCKETS + relays - 1) / relays;
            Set<Integer> owned = new HashSet<>(renewed());
            if (owned.size() < share) {
                owned.addAll(claimed(share - owned.size()));
            } else if (owned.size() > share) {
                Set<Integer> surplus = new HashSet<>();
                owned.stream()
                        .filter(each -> !busy.contains(each))
                        .limit(owned.size() - share)
                        .forEach(surplus::add);
                if (!surplus.isEmpty()) {
                    release(surplus);
                }
                owned.removeAll(surplus);
            }
            return owned;
        });
    }

    /** Gives everything back, so that others need not wait for a lease. */
    final void leave(Set<Integer> owned) throws SQLException {
        inTransaction(() -> {
            if (!owned.isEmpty()) {
                release(owned);
            }
            try (PreparedStatement leave = connection.prepareStatement(LEAVE)) {
                leave.setString(1, relay);
                return leave.executeUpdate();
            }
        });
    }

    /** Reads rows in the order of their ids, up to a number and about up to a number of bytes. */
    final List<OutboxRow> read(Set<Integer> buckets, RelayCore.Exclusions without, int limit, long maxBytes)
            throws SQLException {
        return inTransaction(() -> rows(buckets, without, limit, maxBytes));
    }

    /** Reads rows from a statement with {@link #COLUMNS}. */
    final List<OutboxRow> rows(PreparedStatement select, long maxBytes) throws SQLException {
        select.setFetchSize(FETCH);
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

    private OutboxRow row(ResultSet row) throws SQLException {
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

    private TaskOptions options(ResultSet row, Map<String, String> headers) throws SQLException {
        Instant notBefore = dialect.instant(row, 10);
        long timeout = row.getLong(11);
        boolean noTimeout = row.wasNull();
        int attempts = row.getInt(12);
        boolean noAttempts = row.wasNull();
        return new TaskOptions(
                row.getString(6),
                null,
                notBefore,
                noTimeout ? null : Duration.ofMillis(timeout),
                noAttempts ? null : attempts,
                row.getString(7),
                headers);
    }

    /**
     * Records what became of rows. A row is deleted by its id, whoever has its bucket now: its task was acknowledged. If the
     * database crashes and forgets it, the rows are published again.
     */
    final void settle(RelayCore.Settled settled) throws SQLException {
        inTransaction(() -> {
            beginSettling();
            if (!settled.published().isEmpty()) {
                delete(settled.published());
            }
            note(refusal(), settled.refused());
            note(failure(), settled.failed());
            return 0;
        });
    }

    /** Prepares a transaction that only records what became of rows. */
    void beginSettling() throws SQLException {}

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

    static String name(Lane lane) {
        return lane.queue() + "\n" + lane.key();
    }

    static List<Long> numbers(PreparedStatement statement) throws SQLException {
        List<Long> found = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                found.add(rows.getLong(1));
            }
        }
        return found;
    }

    static Set<Integer> buckets(PreparedStatement statement) throws SQLException {
        Set<Integer> found = new HashSet<>();
        numbers(statement).forEach(each -> found.add(each.intValue()));
        return found;
    }

    interface Work<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    final <T> T inTransaction(Work<T> work) throws SQLException {
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
    public abstract void close() throws SQLException;
}
