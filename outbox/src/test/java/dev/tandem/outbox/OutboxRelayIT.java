package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.testkit.UniqueNames;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The outbox on a real PostgreSQL, before both kinds of brokers. */
@Execution(ExecutionMode.CONCURRENT)
class OutboxRelayIT extends OutboxFixture {

    record Order(String id, int items) {}

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
    void aTaskIsPublishedAsACloudEvent(TestBroker.Kind kind) throws Exception {
        broker(kind);
        Instant written = Instant.parse("2026-01-02T03:04:05Z");
        try (Connection connection = database.open()) {
            TaskRequest<?> task =
                    TaskRequest.of(broker.queue, "ship", new Order("o-7", 2)).with(TaskOptions.id("o-7"));
            outbox.withClock(() -> written)
                    .write(
                            connection,
                            List.of(
                                    task.with(TaskOptions.cloudEvent("/shop")),
                                    task.with(TaskOptions.cloudEvent("/shop", CloudEventMode.STRUCTURED))));
            connection.commit();
        }
        relay();
        soon().until(() -> broker.arrived().size() >= 2);

        assertThat(broker.arrived())
                .anySatisfy(event -> assertThat(event.headers()).anySatisfy((name, value) -> {
                    assertThat(name).matches("(ce_|cloudEvents:)time");
                    assertThat(value).isEqualTo("2026-01-02T03:04:05Z");
                }))
                .anySatisfy(event -> assertThat(event.text())
                        .startsWith("{\"specversion\":\"1.0\",\"source\":\"/shop\",")
                        .contains("\"time\":\"2026-01-02T03:04:05Z\"")
                        .endsWith("\"data\":{\"id\":\"o-7\",\"items\":2}}"));
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
                            TaskRequest.of(broker.queue, "ship", new byte[2 << 20])
                                    .withKey("bad"),
                            TaskRequest.of(broker.queue, "ship", new byte[2 << 20]));
            outbox.write(connection, task("bad", 1), task("good", 1), task("good", 2));
            outbox.write(connection, TaskRequest.of("unknown", "ship", "x").withKey("k"));
            connection.commit();
        }
        OutboxRelay relay = relay(broker.client(), SETTINGS.withGrace(Duration.ofMillis(500)));
        soon().until(() -> relay.status().refused() == 3);
        soon().until(() -> broker.arrived().size() == 2);
        assertThat(broker.firstCopies()).containsOnly(Map.entry("good", List.of("1", "2")));
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE task_key = 'bad' AND refused_at IS NOT NULL"))
                .contains("bytes");
        assertThat(database.text("SELECT error FROM tandem_outbox WHERE queue = 'unknown'"))
                .contains("unknown");
        // A row goes after its task has arrived.
        soon().until(() -> database.waiting() == 4);

        database.execute("DELETE FROM tandem_outbox WHERE refused_at IS NOT NULL");
        soon().until(() -> broker.arrived().size() == 3);
        assertThat(broker.firstCopies()).containsEntry("bad", List.of("1"));
    }

    @ParameterizedTest
    @EnumSource
    void anOldRelayLeavesTheRowsOfANewQueueToANewOne(TestBroker.Kind kind) throws Exception {
        broker(kind);
        OutboxRelay old = relay(kind.client(broker.address, UniqueNames.fresh("former")), SETTINGS);
        soon().until(() -> old.status().buckets() == 64);
        write(20, 0, 3);
        // All keys fail there, and none is refused.
        soon().until(() -> old.status().failures() >= 20);
        relay();
        write(20, 3, 5);
        assertAllArrived(20, 5);
        soon().until(() -> database.waiting() == 0);
        assertThat(old.status().refused()).isZero();
        assertThat(old.status().published()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aClientInATransactionIsAcceptedWhenItCommits(TestBroker.Kind kind) throws Exception {
        broker(kind);
        relay();
        try (Connection connection = database.open()) {
            ManualTransaction transaction = new ManualTransaction(connection);
            TaskClient client = outbox.client(OutboxTransactions.of(() -> connection, transaction::afterEnd));
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

    private static final class ManualTransaction {
        private final Connection connection;
        private final List<Runnable> committed = new ArrayList<>();
        private final List<Runnable> rolledBack = new ArrayList<>();

        ManualTransaction(Connection connection) {
            this.connection = connection;
        }

        void afterEnd(Runnable onCommit, Runnable onRollback) {
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
