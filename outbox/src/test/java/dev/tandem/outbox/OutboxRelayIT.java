package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.local.LocalKafka;
import dev.tandem.local.LocalPostgres;
import dev.tandem.local.LocalProcess;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.SharedKafka;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The outbox on a real PostgreSQL, before both kinds of brokers. */
class OutboxRelayIT {

    private static final RelaySettings SETTINGS = RelaySettings.DEFAULT.withLease(Duration.ofSeconds(2));

    private final Outbox outbox = Outbox.create();
    private final List<AutoCloseable> open = new ArrayList<>();
    private TestDatabase database;
    private TestBroker broker;

    record Order(String id, int items) {}

    @BeforeEach
    void database() throws SQLException {
        database = TestDatabase.create();
    }

    @AfterEach
    void close() throws Exception {
        for (int i = open.size() - 1; i >= 0; i--) {
            open.get(i).close();
        }
    }

    private void broker(TestBroker.Kind kind) {
        broker = kind.create();
        open.add(broker);
    }

    private OutboxRelay relay() {
        TaskClient client = broker.client();
        open.add(client);
        OutboxRelay relay = OutboxRelay.start(database.source(), client, SETTINGS);
        open.add(relay);
        return relay;
    }

    private LocalProcess relayProcess() {
        LocalProcess process = LocalProcess.java(
                        "relay",
                        System.getProperty("java.class.path"),
                        List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                        RelayMain.class.getName(),
                        List.of(broker.kind.name(), broker.address, broker.queue, database.url()))
                .disposable()
                .start();
        open.add(process);
        return process;
    }

    private TaskRequest<?> task(String key, int number) {
        return TaskRequest.of(broker.queue, "ship", Integer.toString(number)).withKey(key);
    }

    /** Writes tasks of keys k0, k1, … with the numbers from..to of each of them, some in each transaction. */
    private void write(int keys, int from, int to) throws SQLException {
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

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(50));
    }

    private void assertInOrder(int keys, int to) {
        Map<String, List<String>> texts = broker.firstCopies();
        assertThat(texts).hasSize(keys);
        texts.forEach((key, arrived) -> assertThat(arrived).as(key).isEqualTo(numbers(0, to)));
    }

    @ParameterizedTest
    @EnumSource
    void aCommitSubmitsAllInOrderAndARollbackNothing(TestBroker.Kind kind) throws Exception {
        broker(kind);
        OutboxRelay relay = relay();
        try (Connection connection = database.open()) {
            outbox.write(connection, task("k0", -1), task("never", -1));
            connection.rollback();
        }
        write(20, 0, 30);
        soon().until(() -> database.waiting() == 0);
        soon().until(() -> broker.arrived().size() >= 600);
        assertInOrder(20, 30);
        assertThat(broker.arrived()).hasSize(600);
        soon().until(() -> relay.status().published() == 600);
        assertThat(relay.status().problem()).isNull();
    }

    @ParameterizedTest
    @EnumSource
    void aTaskArrivesWithAllThatItWasGiven(TestBroker.Kind kind) throws Exception {
        broker(kind);
        Instant due = Instant.parse("2030-01-02T03:04:05.678Z");
        try (Connection connection = database.open()) {
            List<String> ids = outbox.withClock(() -> due.minusSeconds(300))
                    .write(
                            connection,
                            TaskRequest.of(broker.queue, "ship", new Order("o-7", 2))
                                    .withKey("c-7")
                                    .with(
                                            TaskOptions.id("label"),
                                            TaskOptions.delay("5m"),
                                            TaskOptions.timeout("30s"),
                                            TaskOptions.maxAttempts(3),
                                            TaskOptions.header("traceparent", "00-1-2-01")));
            assertThat(ids).containsExactly("label");
            connection.commit();
        }
        relay();
        soon().until(() -> broker.arrived().size() == 1);
        TestBroker.Arrived arrived = broker.arrived().get(0);
        assertThat(arrived.text()).isEqualTo("{\"id\":\"o-7\",\"items\":2}");
        assertThat(arrived.key()).isEqualTo("c-7");
        assertThat(arrived.id()).isEqualTo("label");
        assertThat(arrived.headers())
                .containsEntry("tandem-type", "ship")
                .containsEntry("tandem-not-before", Long.toString(due.toEpochMilli()))
                .containsEntry("tandem-timeout", "30000")
                .containsEntry("tandem-max-attempts", "3")
                .containsEntry("tandem-dedup-key", "label")
                .containsEntry("traceparent", "00-1-2-01");
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsLostOrOutOfOrderWhenARelayIsKilled(TestBroker.Kind kind) throws Exception {
        broker(kind);
        LocalProcess first = relayProcess();
        CompletableFuture<Void> writing = writeAsync(10, 400);
        soon().until(() -> broker.arrived().size() > 500);
        first.kill();
        relayProcess();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 400);
    }

    @ParameterizedTest
    @EnumSource
    void aFrozenRelayThatWakesUpPublishesNothingButOldCopies(TestBroker.Kind kind) throws Exception {
        broker(kind);
        LocalProcess frozen = relayProcess();
        CompletableFuture<Void> writing = writeAsync(10, 400);
        soon().until(() -> broker.arrived().size() > 500);
        frozen.suspend();
        relay();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 400);
        int beforeItWoke = broker.arrived().size();
        frozen.resume();
        // Work that both relays do shows that the frozen one is back.
        soon().until(() -> database.number(
                        "SELECT count(DISTINCT owner) FROM tandem_outbox_bucket WHERE lease_until > clock_timestamp()")
                == 2);
        write(10, 400, 420);
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 420);
        assertThat(broker.arrived().size() - beforeItWoke - 200)
                .as("late copies, one of each key at most")
                .isLessThanOrEqualTo(10);
    }

    @Test
    void rowsWaitWhileTheBrokerIsAway() throws Exception {
        LocalKafka kafka = ownKafka();
        OutboxRelay relay = relay();
        write(10, 0, 20);
        soon().until(() -> database.waiting() == 0);
        kafka.kill();
        write(10, 20, 40);
        await().atMost(Duration.ofSeconds(90)).until(() -> relay.status().failures() > 0);
        assertThat(relay.status().problem()).contains("orders");
        assertThat(database.waiting()).isEqualTo(200);
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE failures > 0 LIMIT 1")).isNotEqualTo("null");
        kafka.start();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 40);
        soon().until(() -> relay.status().problem() == null);
    }

    @Test
    void nothingIsLostOrOutOfOrderWhenRelaysAndTheBrokerAreKilledAgainAndAgain() throws Exception {
        LocalKafka kafka = ownKafka();
        CompletableFuture<Void> writing = writeAsync(10, 400);
        for (int round = 1; round <= 3; round++) {
            LocalProcess relay = relayProcess();
            int enough = round * 600;
            soon().until(() -> broker.arrived().size() > enough);
            if (round == 2) {
                kafka.kill();
                relay.kill();
            } else {
                relay.kill();
                kafka.kill();
            }
            kafka.start();
        }
        relayProcess();
        writing.join();
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 400);
    }

    private LocalKafka ownKafka() {
        LocalKafka kafka = Brokers.ownKafka();
        open.add(kafka);
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.address()))) {
            SharedKafka.createTopic(admin, "orders", 4);
        }
        broker = new TestBroker.KafkaBroker(kafka.address(), "orders");
        open.add(broker);
        return kafka;
    }

    @Test
    void rowsWaitWhileTheDatabaseIsAway() throws Exception {
        LocalPostgres postgres = Brokers.ownPostgres();
        open.add(postgres);
        database = TestDatabase.in(postgres);
        broker(TestBroker.Kind.KAFKA);
        OutboxRelay relay = relay();
        write(10, 0, 20);
        soon().until(() -> database.waiting() == 0);
        postgres.kill();
        soon().until(() -> relay.status().problem() != null);
        postgres.start();
        write(10, 20, 40);
        soon().until(() -> database.waiting() == 0);
        assertAllArrived(10, 40);
        soon().until(() -> relay.status().problem() == null);
    }

    private CompletableFuture<Void> writeAsync(int keys, int to) {
        return CompletableFuture.runAsync(() -> {
            try {
                write(keys, 0, to);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
    }

    private void assertAllArrived(int keys, int to) {
        soon().until(() -> broker.firstCopies().values().stream().mapToInt(List::size).sum() == keys * to);
        assertInOrder(keys, to);
    }

    @ParameterizedTest
    @EnumSource
    void relaysShareTheBucketsAndTakeThemOver(TestBroker.Kind kind) throws Exception {
        broker(kind);
        OutboxRelay first = relay();
        soon().until(() -> first.status().buckets() == 64);
        OutboxRelay second = relay();
        soon().until(() -> first.status().buckets() == 32 && second.status().buckets() == 32);
        write(40, 0, 5);
        soon().until(() -> database.waiting() == 0);
        soon().until(() -> first.status().published() + second.status().published() == 200);
        assertThat(first.status().published()).isPositive();
        assertThat(second.status().published()).isPositive();
        first.close();
        soon().until(() -> second.status().buckets() == 64);
        write(40, 5, 7);
        soon().until(() -> broker.arrived().size() == 280);
        assertInOrder(40, 7);
    }

    @ParameterizedTest
    @EnumSource
    void aTaskThatCanNeverBePublishedIsSetAsideAndHaltsItsKeyOnly(TestBroker.Kind kind) throws Exception {
        broker(kind);
        try (Connection connection = database.open()) {
            outbox.withMaxPayload(4 << 20)
                    .write(
                            connection,
                            TaskRequest.of(broker.queue, "ship", new byte[2 << 20]).withKey("bad"),
                            TaskRequest.of(broker.queue, "ship", new byte[2 << 20]));
            outbox.write(connection, task("bad", 1), task("good", 1), task("good", 2));
            outbox.write(connection, TaskRequest.of("unknown", "ship", "x").withKey("k"));
            connection.commit();
        }
        OutboxRelay relay = relay();
        soon().until(() -> relay.status().refused() == 3);
        soon().until(() -> broker.arrived().size() == 2);
        assertThat(broker.firstCopies()).containsOnly(Map.entry("good", List.of("1", "2")));
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE task_key = 'bad' AND refused_at IS NOT NULL"))
                .contains("bytes");
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE queue = 'unknown'")).contains("unknown");
        assertThat(database.waiting()).isEqualTo(4);

        database.execute("DELETE FROM tandem_outbox WHERE refused_at IS NOT NULL");
        soon().until(() -> broker.arrived().size() == 3);
        assertThat(broker.firstCopies()).containsEntry("bad", List.of("1"));
    }

    @ParameterizedTest
    @EnumSource
    void aClientInATransactionIsAcceptedWhenItCommits(TestBroker.Kind kind) throws Exception {
        broker(kind);
        relay();
        try (Connection connection = database.open()) {
            ManualTransaction transaction = new ManualTransaction(connection);
            TaskClient client = outbox.client(transaction);
            TaskRef<?> rolledBack = client.submit(task("k", 1));
            assertThatThrownBy(() -> rolledBack.await(Duration.ofSeconds(1)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("commit first");
            transaction.rollback();
            assertThat(rolledBack.accepted())
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(SubmitException.class);
            TaskRef<?> committed = client.submit(task("k", 2));
            assertThat(committed.accepted()).isNotDone();
            transaction.commit();
            assertThat(committed.await(Duration.ofSeconds(1)).id()).isEqualTo(committed.id());
        }
        soon().until(() -> broker.arrived().size() == 1);
        assertThat(broker.firstCopies()).containsEntry("k", List.of("2"));
    }

    private static final class ManualTransaction implements OutboxTransactions {
        private final Connection connection;
        private final List<Runnable> committed = new ArrayList<>();
        private final List<Runnable> rolledBack = new ArrayList<>();

        ManualTransaction(Connection connection) {
            this.connection = connection;
        }

        @Override
        public Connection connection() {
            return connection;
        }

        @Override
        public void afterEnd(Runnable onCommit, Runnable onRollback) {
            committed.add(onCommit);
            rolledBack.add(onRollback);
        }

        void commit() throws SQLException {
            connection.commit();
            end(committed);
        }

        void rollback() throws SQLException {
            connection.rollback();
            end(rolledBack);
        }

        private void end(List<Runnable> actions) {
            List<Runnable> due = List.copyOf(actions);
            committed.clear();
            rolledBack.clear();
            due.forEach(Runnable::run);
        }
    }
}
