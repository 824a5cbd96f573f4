package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.JvmOptions;
import dev.tandem.local.LocalProcess;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A database with the outbox, a queue at a real broker, and relays between them, for one test. */
abstract class OutboxFixture {

    static final RelaySettings SETTINGS = RelaySettings.DEFAULT.withLease(Duration.ofSeconds(2));

    final Outbox outbox = Outbox.create();
    final List<AutoCloseable> open = new ArrayList<>();
    TestDatabase database;
    TestBroker broker;

    /** Returns the kind of database; a subclass runs the same tests on another one. */
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.POSTGRES;
    }

    @BeforeEach
    void database() throws SQLException {
        database = databaseKind().create();
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    void broker(TestBroker.Kind kind) {
        broker = kind.create();
        open.add(broker);
    }

    OutboxRelay relay() {
        return relay(broker.client(), SETTINGS);
    }

    OutboxRelay relay(TaskClient client, RelaySettings settings) {
        open.add(client);
        OutboxRelay relay = OutboxRelay.start(database.source(), client, settings);
        open.add(relay);
        return relay;
    }

    LocalProcess relayProcess() {
        LocalProcess process = LocalProcess.java(
                        "relay",
                        System.getProperty("java.class.path"),
                        JvmOptions.quickStart("256m"),
                        RelayMain.class.getName(),
                        List.of(broker.kind.name(), broker.address, broker.queue, database.url()))
                .disposable()
                .start();
        open.add(process);
        return process;
    }

    TaskRequest<?> task(String key, int number) {
        return TaskRequest.of(broker.queue, "ship", Integer.toString(number)).withKey(key);
    }

    /** Writes tasks of keys k0, k1, … with the numbers from..to of each of them, some in each transaction. */
    void write(int keys, int from, int to) throws SQLException {
        try (Connection connection = database.open()) {
            for (int number = from; number < to; number++) {
                List<TaskRequest<?>> tasks = new ArrayList<>();
                for (int key = 0; key < keys; key++) {
                    tasks.add(task("k" + key, number));
                }
                outbox.write(connection, tasks);
                connection.commit();
            }
        }
    }

    static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
    }

    void assertInOrder(int keys, int to) {
        Map<String, List<String>> texts = broker.firstCopies();
        assertThat(texts).hasSize(keys);
        texts.forEach((key, arrived) -> assertThat(arrived).as(key).isEqualTo(numbers(0, to)));
    }

    CompletableFuture<Void> writeAsync(int keys, int to) {
        return CompletableFuture.runAsync(() -> {
            try {
                write(keys, 0, to);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
    }

    void assertAllArrived(int keys, int to) {
        soon().until(() ->
                broker.firstCopies().values().stream().mapToInt(List::size).sum() == keys * to);
        assertInOrder(keys, to);
    }
}
