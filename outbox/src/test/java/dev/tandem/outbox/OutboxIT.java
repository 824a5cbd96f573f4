package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskRequest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The rows of the outbox, and the statements of relays, on a real PostgreSQL without a broker. */
class OutboxIT {

    private final Outbox outbox = Outbox.create();
    private TestDatabase database;
    private Connection connection;

    /** Returns the kind of database; a subclass runs the same tests on another one. */
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.POSTGRES;
    }

    @BeforeEach
    void connect() throws SQLException {
        database = databaseKind().create();
        connection = database.open();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    private RelayStatements relay(String id) throws SQLException {
        Connection session = database.open();
        return Dialect.of(session).relayTables(session, id, Duration.ofSeconds(5), true);
    }

    private static TaskRequest<?> task(String key, Object payload) {
        return TaskRequest.of("orders", "ship", payload).withKey(key);
    }

    /** The buckets are part of the table's format: other programs that write rows compute them too. */
    @Test
    void theBucketOfAKeyIsItsCrcModulo64() throws SQLException {
        outbox.write(connection, task("c-7", "1"), task("é", "2"));
        connection.commit();
        assertThat(database.number("SELECT bucket FROM tandem_outbox WHERE task_key = 'c-7'"))
                .isEqualTo(11);
        assertThat(database.number("SELECT bucket FROM tandem_outbox WHERE task_key = 'é'"))
                .isEqualTo(62);
    }

    @Test
    void misuseFailsAtOnceAndWritesNothing() throws SQLException {
        assertThatThrownBy(() -> outbox.write(connection, task("k", "fine"), task("k".repeat(1_025), "x")))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("key has 1025 bytes");
        assertThatThrownBy(() -> outbox.write(connection, task("a\0b", "x")))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("U+0000");
        assertThatThrownBy(() -> outbox.write(connection, task("k", new byte[(1 << 20) + 1])))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("tandem.max-payload");
        connection.commit();
        assertThat(database.waiting()).isZero();
        connection.setAutoCommit(true);
        assertThatThrownBy(() -> outbox.write(connection, task("k", "x")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("setAutoCommit(false)");
    }

    @Test
    void aMissingTableIsNamed() throws SQLException {
        assertThat(Outbox.isInstalled(connection)).isTrue();
        connection.commit(); // or else the session would not look again
        database.execute("DROP TABLE tandem_outbox");
        assertThat(Outbox.isInstalled(connection)).isFalse();
        assertThatThrownBy(() -> OutboxRelay.start(database.source(), null))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("V1__tandem_outbox.sql");
    }

    @Test
    void aRowThatCommitsLateIsReadAlthoughLaterOnesAreGone() throws SQLException {
        outbox.write(connection, task("a", "early"));
        try (Connection other = database.open();
                RelayStatements relay = relay("r")) {
            outbox.write(other, task("b", "late"));
            other.commit();
            Set<Integer> all = relay.renew(Set.of(), false);
            List<OutboxRow> first = read(relay, all);
            assertThat(first).extracting(row -> row.task().key()).containsExactly("b");
            RelayCore.Settled done = RelayCore.Settled.none();
            done.published().add(first.get(0).version());
            relay.settle(done);
            connection.commit();
            List<OutboxRow> second = read(relay, all);
            assertThat(second).extracting(row -> row.task().key()).containsExactly("a");
            assertThat(second.get(0).id()).isLessThan(first.get(0).id());
        }
    }

    private static List<OutboxRow> read(RelayStatements relay, Set<Integer> buckets) throws SQLException {
        return relay.read(buckets, new RelayCore.Exclusions(List.of(), List.of(), List.of()), 100, 1 << 20);
    }

    @Test
    void aRowThatAnotherProgramWroteWronglyIsAProblemOfItsOwn() throws SQLException {
        database.execute("INSERT INTO tandem_outbox (bucket, queue, task_id, dedup_key, payload, headers) VALUES"
                + " (1, 'orders', 't', 't', '', '{no json'), (1, 'orders', 't', 't', '', '{\"tandem-id\": \"x\"}'),"
                + " (1, 'orders', 't', 't', '', '{\"a\": null}')");
        for (String wrong : List.of("null", "[]", "no json")) {
            assertThatThrownBy(() -> database.execute(
                            "INSERT INTO tandem_outbox (bucket, queue, task_id, dedup_key, payload, headers)"
                                    + " VALUES (1, 'orders', 't', 't', '', '" + wrong + "')"))
                    .as(wrong)
                    .isInstanceOf(SQLException.class);
        }
        assertThatThrownBy(() -> Payloads.readHeaders("null")).isInstanceOf(InvalidTaskException.class);
        try (RelayStatements relay = relay("r")) {
            assertThat(read(relay, relay.renew(Set.of(), false)))
                    .extracting(OutboxRow::problem)
                    .satisfiesExactly(
                            one -> assertThat(one).contains("JSON"),
                            two -> assertThat(two).contains("tandem-id"),
                            three -> assertThat(three).contains("JSON object of texts"));
        }
    }

    @Test
    void bucketsAreSharedOnlyByRelaysThatLive() throws SQLException {
        try (RelayStatements one = relay("one");
                RelayStatements two = relay("two")) {
            Set<Integer> all = one.renew(Set.of(), false);
            assertThat(all).hasSize(64);
            assertThat(two.renew(Set.of(), false)).isEmpty();
            // What is being published stays.
            assertThat(one.renew(all, false)).hasSize(64);
            Set<Integer> half = one.renew(Set.of(3, 4), false);
            assertThat(half).hasSize(32).contains(3, 4);
            assertThat(two.renew(Set.of(), false)).hasSize(32).doesNotContainAnyElementsOf(half);

            database.execute(
                    "UPDATE tandem_outbox_bucket SET lease_until = " + database.now() + " WHERE owner = 'one'");
            database.execute("UPDATE tandem_outbox_relay SET alive_until = " + database.now() + " WHERE id = 'one'");
            assertThat(two.renew(Set.of(), false)).hasSize(64);
            // The one that was frozen has lost all of them, and gets none by renewing.
            assertThat(one.renew(half, false)).isEmpty();
        }
    }

    @Test
    void aRelayReadsNoRowsOfBucketsThatItLostWithoutKnowingIt() throws SQLException {
        outbox.write(connection, task("a", "1"));
        connection.commit();
        try (RelayStatements paused = relay("paused");
                RelayStatements another = relay("another")) {
            Set<Integer> all = paused.renew(Set.of(), false);
            assertThat(read(paused, all)).hasSize(1);
            database.execute("UPDATE tandem_outbox_bucket SET lease_until = " + database.now());
            assertThat(read(paused, all)).isEmpty();
            another.renew(Set.of(), false);
            assertThat(read(paused, all)).isEmpty();
        }
    }

    @Test
    void whatBecameOfARowIsRecordedOnceAndOnlyForThatRow() throws SQLException {
        outbox.write(connection, task("a", "1"), task("b", "1"), task("c", "1"));
        connection.commit();
        try (RelayStatements relay = relay("r")) {
            List<OutboxRow> rows = read(relay, relay.renew(Set.of(), false));
            RelayCore.Settled settled = RelayCore.Settled.none();
            settled.refused().put(rows.get(0).version(), "too large");
            settled.failed().put(rows.get(1).version(), "away");
            settled.unfit().put(rows.get(2).version(), "no queue");
            relay.settle(settled);
            database.execute("UPDATE tandem_outbox SET refused_at = NULL");
            relay.settle(settled); // as after a commit of which nobody knows whether it succeeded
            assertThat(database.number("SELECT sum(failures) FROM tandem_outbox"))
                    .isEqualTo(3);
            assertThat(database.number("SELECT count(*) FROM tandem_outbox WHERE refused_at IS NOT NULL"))
                    .isZero();
            List<OutboxRow> again = read(relay, relay.renew(Set.of(), false));
            assertThat(again).extracting(row -> row.unfitFor() > 0).containsExactly(false, false, true);

            // Other rows with the same ids, as after a failover to a replica that had lagged behind.
            database.execute("UPDATE tandem_outbox SET row_uuid = '00000000-0000-4000-8000-000000000001'");
            RelayCore.Settled late = RelayCore.Settled.none();
            late.published().add(again.get(0).version());
            late.refused().put(again.get(1).version(), "too large");
            late.failed().put(again.get(2).version(), "away");
            relay.settle(late);
            assertThat(database.waiting()).isEqualTo(3);
            assertThat(database.number("SELECT sum(failures) FROM tandem_outbox"))
                    .isEqualTo(3);
        }
    }

    @Test
    void aBucketThatOneRelayPassesGoesToAnotherAndStaysThere() throws SQLException {
        try (RelayStatements old = relay("old");
                RelayStatements fresh = relay("fresh")) {
            old.renew(Set.of(), false);
            fresh.renew(Set.of(), false);
            old.renew(Set.of(), false);
            fresh.renew(Set.of(), false);
            Set<Integer> owned = old.renew(Set.of(), false);
            assertThat(owned).hasSize(32);
            assertThat(old.hasOthers()).isTrue();
            int bucket = owned.iterator().next();
            old.handOver(Set.of(bucket), 60_000);
            assertThat(old.renew(Set.of(), false)).hasSize(31);
            for (int i = 0; i < 3; i++) {
                assertThat(fresh.renew(Set.of(), false)).hasSize(33).contains(bucket);
                assertThat(old.renew(Set.of(), false)).doesNotContain(bucket);
            }
            fresh.leave(fresh.renew(Set.of(), false));
            // There is nobody else any more.
            assertThat(old.renew(Set.of(), false)).hasSize(64);
        }
    }

    @Test
    void aRelayThatIsFrozenInsideATransactionLosesItsLocks() throws SQLException {
        Connection session = database.open();
        try (RelayStatements another = relay("another")) {
            Dialect.of(session).relayTables(session, "frozen", Duration.ofSeconds(1), true);
            try (Statement statement = session.createStatement()) {
                statement.executeUpdate("UPDATE tandem_outbox_bucket SET owner = NULL");
            }
            assertThat(another.renew(Set.of(), false)).isEmpty();
            await().atMost(Duration.ofSeconds(30))
                    .untilAsserted(
                            () -> assertThat(another.renew(Set.of(), false)).hasSize(64));
        } finally {
            session.abort(Runnable::run); // the database has ended it, so it cannot be closed in every driver
        }
    }

    @Test
    void theBacklogSaysHowMuchWaitsAndForHowLong() throws SQLException {
        assertThat(Outbox.backlog(connection)).isEqualTo(new OutboxBacklog(0, null, 0));
        outbox.write(connection, task("a", "1"), task("b", "2"));
        connection.commit();
        database.execute("UPDATE tandem_outbox SET written_at = " + database.daysAgo(2) + " WHERE task_key = 'a'");
        OutboxBacklog backlog = Outbox.backlog(connection);
        assertThat(backlog.rows()).isEqualTo(2);
        assertThat(backlog.oldest()).isBetween(Duration.ofHours(47), Duration.ofHours(49));
        connection.commit();
        database.execute("UPDATE tandem_outbox SET refused_at = " + database.now() + " WHERE task_key = 'a'");
        assertThat(Outbox.backlog(connection).refused()).isEqualTo(1);
        assertThat(Outbox.backlog(connection).oldest()).isLessThan(Duration.ofHours(1));
    }

    @Test
    void aReadLeavesOutWhatIsInMemoryOrHalted() throws SQLException {
        outbox.write(connection, task("busy", "1"), task("halted", "1"), task("halted", "2"), task("free", "1"));
        outbox.write(
                connection, TaskRequest.of("away", "ship", "1").withKey("free"), TaskRequest.of("orders", "ship", "1"));
        connection.commit();
        database.execute("UPDATE tandem_outbox SET refused_at = " + database.now()
                + " WHERE task_key = 'halted' AND id = (SELECT least FROM (SELECT min(id) AS least FROM tandem_outbox"
                + " WHERE task_key = 'halted') first)");
        long keyless = database.number("SELECT id FROM tandem_outbox WHERE task_key IS NULL");
        try (RelayStatements relay = relay("r")) {
            Set<Integer> all = relay.renew(Set.of(), false);
            RelayCore.Exclusions without = new RelayCore.Exclusions(
                    List.of("away"), List.of(new OutboxRow.Lane("orders", "busy", 0)), List.of(keyless));
            assertThat(relay.read(all, without, 100, 1 << 20))
                    .extracting(row -> row.task().key())
                    .containsExactly("free");
        }
    }
}
