package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.outbox.OutboxRow.Lane;
import dev.tandem.outbox.OutboxRow.Version;
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
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The statements of a relay. Each public step is one transaction. Used by one thread. */
abstract class RelayStatements implements AutoCloseable {

    private static final String LEAVE = "DELETE FROM tandem_outbox_relay WHERE id = ?";

    private static final String COLUMNS =
            "SELECT id, bucket, queue, type, task_key, task_id, dedup_key, headers, payload,"
                    + " not_before, timeout_ms, max_attempts, row_uuid, failures, ";

    static final int FETCH = 200;

    private static final int MAX_ERROR = 1_000;
    private static final int ROW_OVERHEAD = 400;

    private static final Set<Integer> ALL =
            IntStream.range(0, Outbox.BUCKETS).boxed().collect(Collectors.toUnmodifiableSet());

    final Connection connection;
    final String relay;
    private int relays = 1;
    private final Dialect dialect;

    /** @param connection of which this object takes care from now on */
    RelayStatements(Connection connection, String relay, Dialect dialect) {
        this.connection = connection;
        this.relay = relay;
        this.dialect = dialect;
    }

    // ---- what a database does in its own way; each is called inside a transaction

    /** Says that this relay lives, and forgets those that do not. Returns how many there are. */
    abstract int register(boolean asleep) throws SQLException;

    /** Renews the leases of this relay and returns its buckets. */
    abstract Set<Integer> renewed() throws SQLException;

    /** Takes free buckets among some, up to a number. */
    abstract Set<Integer> claimed(int most, Set<Integer> among) throws SQLException;

    /** Gives buckets to other relays, and does not want them back for a time. */
    abstract void pass(Set<Integer> buckets, long millis) throws SQLException;

    /** Returns the statement of the buckets that relays have passed, and by which. */
    abstract String passed();

    abstract void release(Set<Integer> buckets) throws SQLException;

    abstract List<OutboxRow> rows(Set<Integer> buckets, RelayCore.Exclusions without, int limit, long maxBytes)
            throws SQLException;

    abstract void delete(List<Version> rows) throws SQLException;

    /** Returns the statement that sets a row aside. Its parameters are the reason, the id, the UUID and the failures. */
    abstract String refusal();

    /** Returns the statement that notes a failure, with the same parameters. */
    abstract String failure();

    /** Returns the statement that notes that a client cannot publish a row, with the same parameters. */
    abstract String unfitness();

    /** Returns how many rows the driver reads ahead. */
    int fetchSize() {
        return FETCH;
    }

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
            relays = Math.max(1, register(asleep));
            int share = (Outbox.BUCKETS + relays - 1) / relays;
            Set<Integer> owned = new HashSet<>(renewed());
            Passed passed = relays > 1 ? readPassed() : Passed.NONE;
            // What others cannot publish comes on top of the share.
            Set<Integer> own = without(owned, passed.byOthers());
            if (own.size() < share) {
                owned.addAll(claimed(share - own.size(), without(without(ALL, passed.bySelf()), passed.byOthers())));
            } else if (own.size() > share) {
                Set<Integer> surplus = new HashSet<>();
                own.stream()
                        .filter(each -> !busy.contains(each))
                        .limit(own.size() - share)
                        .forEach(surplus::add);
                if (!surplus.isEmpty()) {
                    release(surplus);
                }
                owned.removeAll(surplus);
            }
            Set<Integer> more = without(passed.byOthers(), owned);
            if (!more.isEmpty()) {
                owned.addAll(claimed(more.size(), more));
            }
            return owned;
        });
    }

    private record Passed(Set<Integer> bySelf, Set<Integer> byOthers) {
        static final Passed NONE = new Passed(Set.of(), Set.of());
    }

    private Passed readPassed() throws SQLException {
        Passed passed = new Passed(new HashSet<>(), new HashSet<>());
        try (PreparedStatement select = connection.prepareStatement(passed());
                ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                (relay.equals(rows.getString(2)) ? passed.bySelf() : passed.byOthers()).add(rows.getInt(1));
            }
        }
        return passed;
    }

    private static Set<Integer> without(Set<Integer> all, Set<Integer> some) {
        Set<Integer> rest = new HashSet<>(all);
        rest.removeAll(some);
        return rest;
    }

    /** Returns whether other relays were alive at the last {@link #renew}. */
    final boolean hasOthers() {
        return relays > 1;
    }

    /** Gives buckets to other relays whose clients may be able to publish what this one cannot. */
    final void handOver(Set<Integer> buckets, long millis) throws SQLException {
        inTransaction(() -> {
            pass(buckets, millis);
            return 0;
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

    /** Returns the columns of a read. @param unfitFor the milliseconds since {@code unfit_since} */
    static String columns(String unfitFor) {
        return COLUMNS + unfitFor + " FROM tandem_outbox o";
    }

    /** Reads rows from a statement with {@link #columns}. */
    final List<OutboxRow> rows(PreparedStatement select, long maxBytes) throws SQLException {
        select.setFetchSize(fetchSize());
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
        Version version = new Version(row.getLong(1), UUID.fromString(row.getString(13)), row.getInt(14));
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
            problem = String.valueOf(e.getMessage());
        } catch (RuntimeException e) {
            // One bad row must not stop the others, whatever is wrong with it.
            problem = "The row cannot be read as a task: " + e;
        }
        TaskRequest<Object> task = new TaskRequest<>(queue, row.getString(4), key, payload, options);
        return new OutboxRow(
                version, bucket, task, payload.length + headers.length() + ROW_OVERHEAD, row.getLong(15), problem);
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
     * Records what became of rows. A row is deleted by its id and UUID, whoever has its bucket now: its task was acknowledged. If
     * the database crashes and forgets it, the rows are published again. If nobody knows whether this was committed, it may
     * be repeated: nothing is counted twice.
     */
    final void settle(RelayCore.Settled settled) throws SQLException {
        inTransaction(() -> {
            beginSettling();
            if (!settled.published().isEmpty()) {
                delete(settled.published());
            }
            note(refusal(), settled.refused());
            note(failure(), settled.failed());
            note(unfitness(), settled.unfit());
            return 0;
        });
    }

    /** Prepares a transaction that only records what became of rows. */
    void beginSettling() throws SQLException {}

    private void note(String sql, Map<Version, String> reasons) throws SQLException {
        if (reasons.isEmpty()) {
            return;
        }
        try (PreparedStatement update = connection.prepareStatement(sql)) {
            for (Map.Entry<Version, String> each : reasons.entrySet()) {
                String reason = each.getValue().replace('\0', ' ');
                update.setString(1, reason.substring(0, Math.min(reason.length(), MAX_ERROR)));
                update.setLong(2, each.getKey().id());
                update.setString(3, each.getKey().uuid().toString());
                update.setInt(4, each.getKey().failures());
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
