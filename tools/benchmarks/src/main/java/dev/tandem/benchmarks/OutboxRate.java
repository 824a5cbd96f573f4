package dev.tandem.benchmarks;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.kit.Await;
import dev.tandem.local.LocalPostgres;
import dev.tandem.outbox.Outbox;
import dev.tandem.outbox.OutboxRelay;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import org.postgresql.ds.PGSimpleDataSource;

/** Measures how fast one relay publishes the rows of an outbox in PostgreSQL to Kafka. */
final class OutboxRate implements Scenario {

    private static final int DEFAULT_TASKS = 60_000;
    private static final int KEYS = 10_000;
    private static final int IN_TRANSACTION = 10;
    private static final int WRITERS = 2;
    private static final double BUDGET = 5_000;
    private static final Duration LIMIT = Duration.ofMinutes(3);

    private final Outbox outbox = Outbox.create();

    @Override
    public String name() {
        return "outbox";
    }

    @Override
    public String about() {
        return "rows of an outbox in PostgreSQL that one relay publishes to Kafka per second";
    }

    @Override
    public List<Measurement> run(ScenarioContext context) throws Exception {
        int tasks = context.sizes().tasksOr(DEFAULT_TASKS);
        try (LocalPostgres postgres = LocalPostgres.create();
                KafkaTopic topic = new KafkaTopic(
                        context.brokers().kafka(),
                        context.uniqueName("outbox"),
                        context.sizes().partitions());
                TaskClient client = TandemClient.builder()
                        .kafka(topic.bootstrap(), topic.name())
                        .build()) {
            PGSimpleDataSource database = new PGSimpleDataSource();
            database.setUrl(postgres.address());
            install(database);
            backlog(context, database, client, topic.name(), tasks / 3, number -> "k" + number % KEYS); // warms up
            double spread = backlog(context, database, client, topic.name(), tasks, number -> "k" + number % KEYS);
            double written = live(context, database, client, topic.name(), tasks);
            double hot = backlog(context, database, client, topic.name(), tasks / 10, number -> "hot");
            return List.of(
                    Measurement.of("outbox: a backlog, 10,000 keys", spread, "/s", Budget.atLeast(BUDGET)),
                    Measurement.withoutBudget("outbox: written meanwhile, 10 rows a transaction", written, "/s"),
                    Measurement.withoutBudget("outbox: a backlog of a single key", hot, "/s"));
        }
    }

    private static void install(PGSimpleDataSource database) throws SQLException, IOException {
        try (InputStream script = Outbox.class.getResourceAsStream("/db/tandem/postgresql/V1__tandem_outbox.sql");
                Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    /** Writes all rows, then starts a relay. Returns rows per second from its start until the last one is deleted. */
    private double backlog(
            ScenarioContext context,
            PGSimpleDataSource database,
            TaskClient client,
            String queue,
            int tasks,
            IntFunction<String> key)
            throws Exception {
        write(database, queue, 0, tasks, 500, key);
        long started = System.nanoTime();
        try (OutboxRelay relay = OutboxRelay.start(database, client)) {
            await(context, relay, tasks);
            return tasks / seconds(started);
        }
    }

    /** Writes rows while a relay publishes them. Returns rows per second from the first one until the last is deleted. */
    private double live(
            ScenarioContext context, PGSimpleDataSource database, TaskClient client, String queue, int tasks)
            throws Exception {
        try (OutboxRelay relay = OutboxRelay.start(database, client)) {
            long started = System.nanoTime();
            List<CompletableFuture<Void>> writers = new ArrayList<>();
            int each = tasks / WRITERS;
            for (int writer = 0; writer < WRITERS; writer++) {
                int from = writer * each;
                writers.add(CompletableFuture.runAsync(() -> {
                    try {
                        write(database, queue, from, from + each, IN_TRANSACTION, number -> "k" + number % KEYS);
                    } catch (SQLException e) {
                        throw new CompletionException(e);
                    }
                }));
            }
            writers.forEach(CompletableFuture::join);
            context.say("written in %.1f s", seconds(started));
            await(context, relay, each * WRITERS);
            return each * WRITERS / seconds(started);
        }
    }

    private void write(
            PGSimpleDataSource database, String queue, int from, int to, int inTransaction, IntFunction<String> key)
            throws SQLException {
        String payload = "x".repeat(KafkaTopic.PAYLOAD);
        try (Connection connection = database.getConnection()) {
            connection.setAutoCommit(false);
            for (int first = from; first < to; first += inTransaction) {
                List<TaskRequest<?>> tasks = new ArrayList<>(inTransaction);
                for (int number = first; number < Math.min(to, first + inTransaction); number++) {
                    tasks.add(TaskRequest.of(queue, "ship", payload).withKey(key.apply(number)));
                }
                outbox.write(connection, tasks);
                connection.commit();
            }
        }
    }

    private static void await(ScenarioContext context, OutboxRelay relay, long tasks) throws Exception {
        Await.until(
                LIMIT,
                () -> {
                    context.progress("%,d of %,d published", relay.status().published(), tasks);
                    return relay.status().published() >= tasks;
                },
                () -> "Only " + relay.status() + " of " + tasks + " rows were published");
    }

    private static double seconds(long started) {
        return (System.nanoTime() - started) / 1e9;
    }
}
