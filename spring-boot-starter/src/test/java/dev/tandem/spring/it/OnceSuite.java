package dev.tandem.spring.it;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import dev.tandem.outbox.Once;
import dev.tandem.outbox.Outbox;
import dev.tandem.runtime.Tandem;
import dev.tandem.runtime.queues.QueueClients;
import dev.tandem.runtime.settings.SettingsLoader;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

/** {@link Once} in handlers of real executors, over one kind of broker. */
@Execution(ExecutionMode.CONCURRENT)
abstract class OnceSuite {

    private final String queue = UniqueNames.fresh("once");
    private final PGSimpleDataSource database = new PGSimpleDataSource();

    /** Kept, because the data source leaves the user out of its own. */
    private String url;

    @TempDir
    private Path folder;

    /** Returns where the broker is: the setting's name and its value. */
    abstract Map.Entry<String, String> broker();

    /** Returns {@code kafka} or {@code rabbit}. */
    abstract String source();

    @BeforeEach
    void createDatabase() throws SQLException, IOException {
        String schema = UniqueNames.fresh("once").replace('-', '_');
        database.setUrl(Brokers.postgres().address());
        execute("CREATE SCHEMA " + schema);
        url = Brokers.postgres().address() + "&currentSchema=" + schema;
        database.setUrl(url);
        try (InputStream script = Outbox.class.getResourceAsStream("/db/tandem/postgresql/V1__tandem_outbox.sql")) {
            execute(new String(Objects.requireNonNull(script).readAllBytes(), StandardCharsets.UTF_8));
        }
        for (String table : new String[] {"effects", "begun", "refused"}) {
            execute("CREATE TABLE " + table + " (program text, attempt int)");
        }
        execute("CREATE TABLE gate (open boolean)");
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<String> rows(String table) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT program, attempt FROM " + table)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1) + " " + rows.getInt(2));
            }
            return found;
        }
    }

    private String settings(String lease) throws IOException {
        return Files.writeString(folder.resolve("tandem.yml"), """
                %s: "%s"
                tandem.redis.uri: "%s"
                tandem.executor.lease: %s
                tandem.queues.%s: { source: %s, ordering: key, partitions: 4, max-attempts: 8, backoff.initial: 10m }
                """.formatted(
                        broker().getKey(), broker().getValue(), Brokers.redis().uri(), lease, queue, source()))
                .toString();
    }

    private TaskClient client() {
        String settings = "tandem.queues." + queue + ".";
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "test",
                        Map.of(
                                broker().getKey(),
                                broker().getValue(),
                                settings + "source",
                                source(),
                                settings + "ordering",
                                "key",
                                settings + "partitions",
                                "4")));
        return QueueClients.builder(SettingsLoader.loadForProgram(environment, Map.of()))
                .build();
    }

    /** Submits again and again, until the executor has created what it needs at the broker. */
    private void submit(TaskClient client, String type) {
        await().atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> client.submit(TaskRequest.of(queue, type, "x")
                                        .withKey("k")
                                        .with(TaskOptions.dedupKey(type)))
                                .accepted()
                                .get(10, TimeUnit.SECONDS)
                        != null);
    }

    private static void awaitHealthy(Tandem tandem) {
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(tandem.status().problems()).isEmpty());
    }

    @Test
    void anAttemptThatFailsAfterItsCommitIsRepeatedWithoutItsEffects() throws Exception {
        try (Tandem tandem = OnceProgram.start(settings("5m"), queue, url, "one")) {
            awaitHealthy(tandem);
            execute("INSERT INTO gate VALUES (true)");
            submit(tandem.client(), "again");
            submit(tandem.client(), "wait");
            // The second task of the key begins after all attempts at the first one.
            await().atMost(PATIENCE)
                    .until(() ->
                            rows("begun").contains("one 1") && rows("effects").size() == 2);
            assertThat(rows("effects")).containsExactly("one 1", "one 1");
            assertThat(rows("refused")).isEmpty();
        }
    }

    @Test
    void aFrozenExecutorCannotWriteAfterAnotherOneTookOver() throws Exception {
        String settings = settings("3s");
        try (TaskClient client = client();
                LocalProcess frozen = LocalProcess.java(
                                "frozen",
                                System.getProperty("java.class.path"),
                                JvmOptions.quickStart("256m"),
                                OnceProgram.class.getName(),
                                List.of(settings, queue, url, "frozen"))
                        .disposable()
                        .start()) {
            submit(client, "wait");
            await().atMost(PATIENCE).until(() -> rows("begun").equals(List.of("frozen 1")));
            frozen.suspend();
            execute("INSERT INTO gate VALUES (true)");
            Tandem other = OnceProgram.start(settings, queue, url, "other");
            try (other) {
                await().atMost(PATIENCE).until(() -> rows("effects").size() == 1);
                frozen.resume();
                await().atMost(PATIENCE).until(() -> rows("refused").equals(List.of("frozen 1")));
            }
            // The other one's own lease of 3 s may lapse too when the machine is slow: then it wrote in a later
            // attempt.
            assertThat(rows("effects")).singleElement().asString().startsWith("other ");
        }
    }
}
