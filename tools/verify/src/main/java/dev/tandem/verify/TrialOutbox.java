package dev.tandem.verify;

import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalPostgres;
import dev.tandem.local.LocalProcess;
import dev.tandem.outbox.Outbox;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.verify.fault.OutboxControl;
import dev.tandem.verify.worker.RelayMain;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** The outbox of one trial: a schema in PostgreSQL, two relays in processes of their own, and the effects of handlers. */
final class TrialOutbox implements OutboxControl, AutoCloseable {

    private static final int RELAYS = 2;
    private static final long WAITING_LIMIT_MILLIS = 10_000;
    private static final long POLL_MILLIS = 10;

    private final LocalPostgres postgres;
    private final PGSimpleDataSource database = new PGSimpleDataSource();
    /** Kept, because the data source leaves the user out of its own. */
    private final String url;

    private final List<String> relayArguments;
    private final String classPath;
    private final Path folder;
    private final Deque<LocalProcess> relays = new ArrayDeque<>();
    private int starts;

    /** @param broker Kafka's bootstrap servers, or RabbitMQ's address */
    TrialOutbox(
            LocalPostgres postgres, String broker, String queue, TrialSettings settings, String classPath, Path folder)
            throws SQLException, IOException {
        this.postgres = postgres;
        this.classPath = classPath;
        this.folder = folder;
        String schema = queue.replaceAll("[^A-Za-z0-9]", "_").toLowerCase(Locale.ROOT);
        database.setUrl(postgres.address());
        execute("CREATE SCHEMA " + schema);
        url = postgres.address() + "&currentSchema=" + schema;
        database.setUrl(url);
        try (InputStream script = Outbox.class.getResourceAsStream("/db/tandem/postgresql/V1__tandem_outbox.sql")) {
            execute(new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
        }
        execute("CREATE TABLE effects (id text)");
        this.relayArguments = List.of(
                url(),
                broker,
                queue,
                Integer.toString(settings.partitions()),
                Long.toString(settings.lease().toMillis()));
        for (int i = 0; i < RELAYS; i++) {
            startRelay();
        }
    }

    String url() {
        return url;
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Returns the number that a query has as its result; -1 if the database does not answer. */
    private long number(String sql) {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : 0;
        } catch (SQLException e) {
            return -1;
        }
    }

    /** Returns a publisher for one thread. A task is acknowledged when its transaction has committed. */
    Publisher publisher() {
        return new WritingPublisher(database);
    }

    /**
     * Checks that each effect happened once.
     *
     * @param succeeded tasks that must have had theirs
     * @throws IllegalStateException if one is missing, or happened twice
     */
    void requireEffectsOnce(Set<String> succeeded) throws SQLException {
        Set<String> missing = new TreeSet<>(succeeded);
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, count(*) FROM effects GROUP BY id")) {
            while (rows.next()) {
                if (rows.getLong(2) > 1) {
                    throw new IllegalStateException(
                            "The effects of " + rows.getString(1) + " happened " + rows.getLong(2) + " times");
                }
                missing.remove(rows.getString(1));
            }
        }
        if (!missing.isEmpty()) {
            throw new IllegalStateException(missing.size() + " acknowledged tasks had no effect, such as "
                    + missing.iterator().next() + "; " + number("SELECT count(*) FROM tandem_outbox")
                    + " rows are still in the outbox");
        }
    }

    @Override
    public long awaitWaiting() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WAITING_LIMIT_MILLIS);
        while (true) {
            long waiting = number("SELECT count(*) FROM tandem_outbox");
            if (waiting > 0 || System.nanoTime() > deadline) {
                return Math.max(0, waiting);
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        }
    }

    @Override
    public void awaitPublished(Duration limit) throws InterruptedException {
        awaitPublished(this::number, limit);
    }

    /** @param database answers a query with a number; with -1 if it does not answer */
    static void awaitPublished(ToLongFunction<String> database, Duration limit) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        long last = -1;
        long left = -1;
        do {
            last = last >= 0 ? last : database.applyAsLong("SELECT coalesce(max(id), 0) FROM tandem_outbox");
            left = last < 0 ? -1 : database.applyAsLong("SELECT count(*) FROM tandem_outbox WHERE id <= " + last);
            if (left == 0) {
                return;
            }
            TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
        } while (System.nanoTime() < deadline);
        throw new IllegalStateException(
                left < 0
                        ? "The outbox's database did not answer within " + limit
                        : left + " rows of the outbox were not published within " + limit);
    }

    @Override
    public synchronized void killRelay() {
        LocalProcess relay = relays.removeLast(); // not the one that may be frozen
        relay.kill();
        relay.close();
    }

    @Override
    public synchronized void startRelay() {
        String name = "relay" + ++starts;
        relays.addLast(LocalProcess.java(
                        name,
                        classPath,
                        JvmOptions.quickStart(
                                "128m", "-Dlogback.configurationFile=dev/tandem/verify/worker-logback.xml"),
                        RelayMain.class.getName(),
                        relayArguments)
                .log(folder.resolve(name + ".log"))
                .disposable()
                .build()
                .start());
    }

    @Override
    public void freezeRelay(Duration time) throws InterruptedException {
        LocalProcess relay;
        synchronized (this) {
            relay = relays.getFirst();
        }
        relay.suspend();
        try {
            TimeUnit.MILLISECONDS.sleep(time.toMillis());
        } finally {
            relay.resume();
        }
    }

    @Override
    public void restartDatabase() {
        postgres.kill();
        postgres.start();
    }

    @Override
    public synchronized void close() {
        relays.forEach(LocalProcess::close);
        relays.clear();
    }

    /** Writes each task in a transaction of its own. Used by one thread. */
    private static final class WritingPublisher implements Publisher {

        private final PGSimpleDataSource database;
        private final Outbox outbox = Outbox.create();
        private @Nullable Connection connection;

        WritingPublisher(PGSimpleDataSource database) {
            this.database = database;
        }

        @Override
        public CompletionStage<PublishedId> publish(Task task) {
            try {
                Connection open = connection;
                if (open == null) {
                    open = database.getConnection();
                    open.setAutoCommit(false);
                    connection = open;
                }
                outbox.write(open, request(task));
                open.commit();
                return CompletableFuture.completedFuture(new PublishedId(Objects.requireNonNull(task.id()), "outbox"));
            } catch (SQLException e) {
                close();
                return CompletableFuture.failedFuture(e);
            }
        }

        private static TaskRequest<?> request(Task task) {
            TaskRequest<?> request = new TaskRequest<>(
                            task.queue(), task.type(), task.key(), task.payload(), TaskOptions.NONE)
                    .with(TaskOptions.id(Objects.requireNonNull(task.id())));
            return task.notBefore() == 0
                    ? request
                    : request.with(TaskOptions.notBefore(Instant.ofEpochMilli(task.notBefore())));
        }

        @Override
        public Publication prepare(Task task) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            Connection open = connection;
            connection = null;
            if (open != null) {
                try {
                    open.close();
                } catch (SQLException e) {
                    // It is broken already.
                }
            }
        }
    }
}
