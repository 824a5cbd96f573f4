package dev.tandem.outbox;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitInterceptor;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskTexts;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Submits tasks in a transaction of the application's database: they are rows of the table {@code tandem_outbox} until an
 * {@link OutboxRelay} has published them. A task is submitted exactly if the transaction commits. Thread-safe.
 *
 * <p>Tasks of a key are published in the order in which they were written. If several transactions write tasks of one key at
 * the same time, their order is not defined: let them lock something first, such as the row of the order.
 */
public final class Outbox {

    /** The number of buckets over which keys are spread. Part of the table's format. */
    static final int BUCKETS = 64;

    private static final int MAX_QUEUE = 200;
    private static final int DEFAULT_MAX_PAYLOAD = 1 << 20;

    private static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999Z");

    private static final String INSERT = "INSERT INTO tandem_outbox (bucket, queue, type, task_key, task_id, dedup_key,"
            + " headers, payload, not_before, timeout_ms, max_attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

    private final Payloads payloads;
    private final InstantSource clock;
    private final int maxPayload;

    private Outbox(Payloads payloads, InstantSource clock, int maxPayload) {
        this.payloads = payloads;
        this.clock = clock;
        this.maxPayload = maxPayload;
    }

    /** Creates an outbox that writes objects with Jackson's defaults, and takes payloads of up to 1 MiB. */
    public static Outbox create() {
        return new Outbox(new Payloads(JsonMapper.shared()), InstantSource.system(), DEFAULT_MAX_PAYLOAD);
    }

    /** Returns this outbox with a mapper that writes objects as JSON. */
    public Outbox withMapper(JsonMapper mapper) {
        return new Outbox(new Payloads(mapper), clock, maxPayload);
    }

    /** Returns this outbox with another limit of a payload, in bytes: {@code tandem.max-payload} of the executors. */
    public Outbox withMaxPayload(int bytes) {
        return new Outbox(payloads, clock, bytes);
    }

    /** Returns this outbox with the clock from which delays count. */
    public Outbox withClock(InstantSource source) {
        return new Outbox(payloads, source, maxPayload);
    }

    /** Returns whether the outbox's table is in the database. It never is in one that the outbox does not know. */
    public static boolean isInstalled(Connection connection) throws SQLException {
        Optional<Dialect> dialect = Dialect.find(connection.getMetaData());
        return dialect.isPresent() && dialect.get().isInstalled(connection);
    }

    /**
     * Returns the script that makes the tables in this database, as a resource.
     *
     * @throws SQLException if the outbox does not know the database; the message says which it knows
     */
    public static String script(Connection connection) throws SQLException {
        return Dialect.of(connection).script();
    }

    /**
     * Returns which rights the user of a database with the outbox lacks, with what the database says of each; empty if none
     * is missing.
     *
     * @param connection without a transaction
     * @param relay whether the user is that of a relay too, besides writing
     */
    public static List<String> missingRights(Connection connection, boolean relay) throws SQLException {
        return Rights.missing(connection, true, relay);
    }

    /** Returns what waits in the outbox. */
    public static OutboxBacklog backlog(Connection connection) throws SQLException {
        Long oldest = number(connection, Dialect.of(connection).oldest());
        return new OutboxBacklog(
                count(connection, ""),
                oldest != null ? Duration.ofMillis(Math.max(0, oldest)) : null,
                count(connection, " WHERE refused_at IS NOT NULL"));
    }

    private static long count(Connection connection, String which) throws SQLException {
        Long count = number(
                connection,
                "SELECT count(*) FROM (SELECT 1 FROM tandem_outbox" + which + " LIMIT " + OutboxBacklog.MOST
                        + ") counted");
        return count != null ? count : 0;
    }

    private static @Nullable Long number(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : null;
        }
    }

    /** Writes tasks as {@link #write(Connection, List)} does. */
    public List<String> write(Connection connection, TaskRequest<?>... tasks) throws SQLException {
        return write(connection, List.of(tasks));
    }

    /**
     * Writes tasks in the connection's open transaction, in one batch. A delay counts from now.
     *
     * <p>A task without an id gets a random one, and a task without a deduplication key gets its id as that.
     *
     * @return the tasks' ids, in the same order
     * @throws InvalidTaskException if one of the tasks can never be accepted. Then none was written
     * @throws IllegalStateException if the connection commits each statement by itself
     * @throws SQLException if the database refuses, as when the table is missing
     */
    public List<String> write(Connection connection, List<? extends TaskRequest<?>> tasks) throws SQLException {
        List<Written> rows = check(tasks);
        insert(connection, rows);
        return rows.stream().map(Written::id).toList();
    }

    void insert(Connection connection, List<Written> rows) throws SQLException {
        Transactions.require(connection, "The outbox");
        if (rows.isEmpty()) {
            return;
        }
        Dialect dialect = Dialect.of(connection);
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            for (Written row : rows) {
                bind(dialect, insert, row);
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    /** Returns a client that writes tasks in the open transaction of the thread that submits them. */
    public TaskClient client(OutboxTransactions transactions) {
        return client(transactions, List.of());
    }

    /**
     * Returns a client that writes tasks in the open transaction of the thread that submits them.
     *
     * @param interceptors wrap every submission; the first one is the outermost
     */
    public TaskClient client(OutboxTransactions transactions, List<SubmitInterceptor> interceptors) {
        return new OutboxClient(this, transactions, interceptors);
    }

    record Written(
            TaskRequest<?> task,
            String id,
            byte[] payload,
            String headers,
            @Nullable Instant notBefore) {}

    /** @throws InvalidTaskException if one of the tasks can never be accepted */
    List<Written> check(List<? extends TaskRequest<?>> tasks) {
        Instant now = clock.instant();
        List<Written> rows = new ArrayList<>(tasks.size());
        for (TaskRequest<?> task : tasks) {
            rows.add(check(task, now));
        }
        return rows;
    }

    private Written check(TaskRequest<?> task, Instant now) {
        String given = task.options().id();
        String id = given != null ? given : UUID.randomUUID().toString();
        requireQueue(task.queue());
        TaskTexts.check(task);
        byte[] payload = payloads.bytes(task);
        if (payload.length > maxPayload) {
            throw new InvalidTaskException("The task's payload has " + payload.length + " bytes: at most " + maxPayload
                    + " are allowed (tandem.max-payload)");
        }
        return new Written(task, id, payload, payloads.headers(task, now), notBefore(task, now));
    }

    private static @Nullable Instant notBefore(TaskRequest<?> task, Instant now) {
        Duration delay = task.options().delay();
        if (delay != null && delay.compareTo(Duration.between(now, LATEST)) > 0) {
            throw new InvalidTaskException("The task's delay is " + delay + ": it must not reach beyond the year 9999");
        }
        Instant notBefore = delay != null ? now.plus(delay) : task.options().notBefore();
        if (notBefore == null) {
            return null;
        }
        return notBefore.isBefore(Instant.EPOCH) ? Instant.EPOCH : notBefore;
    }

    /** The column takes no more. Which queues there are, only the relay's client knows. */
    private static void requireQueue(String name) {
        if (name.isEmpty() || name.length() > MAX_QUEUE || name.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidTaskException("The name of the task's queue must have 1 to " + MAX_QUEUE
                    + " characters and no control characters");
        }
    }

    private static void bind(Dialect dialect, PreparedStatement insert, Written row) throws SQLException {
        TaskRequest<?> task = row.task();
        String dedupKey = task.options().dedupKey();
        insert.setInt(1, bucketOf(task.key() != null ? task.key() : row.id()));
        insert.setString(2, task.queue());
        insert.setString(3, task.type());
        insert.setString(4, task.key());
        insert.setString(5, row.id());
        insert.setString(6, dedupKey != null ? dedupKey : row.id());
        insert.setString(7, row.headers());
        insert.setBytes(8, row.payload());
        dialect.setInstant(insert, 9, row.notBefore());
        setLong(
                insert,
                10,
                task.options().timeout() != null ? task.options().timeout().toMillis() : null);
        if (task.options().maxAttempts() != null) {
            insert.setInt(11, task.options().maxAttempts());
        } else {
            insert.setNull(11, Types.INTEGER);
        }
    }

    private static void setLong(PreparedStatement insert, int index, @Nullable Long value) throws SQLException {
        if (value != null) {
            insert.setLong(index, value);
        } else {
            insert.setNull(index, Types.BIGINT);
        }
    }

    static int bucketOf(String key) {
        CRC32 sum = new CRC32();
        sum.update(key.getBytes(StandardCharsets.UTF_8));
        return (int) (sum.getValue() % BUCKETS);
    }
}
