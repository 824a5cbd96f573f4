package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.SnoozeError;
import dev.tandem.api.TaskContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OnceIT {

    private TestDatabase database;

    /** Returns the kind of database; a subclass runs the same tests on another one. */
    TestDatabase.Kind databaseKind() {
        return TestDatabase.Kind.POSTGRES;
    }

    @BeforeEach
    void database() throws SQLException {
        database = databaseKind().create();
        database.execute("CREATE TABLE effects (task text, token bigint)");
    }

    private boolean run(Connection connection, Attempt task) throws SQLException {
        boolean first = Once.begin(connection, task);
        if (first) {
            try (var insert = connection.prepareStatement("INSERT INTO effects VALUES (?, ?)")) {
                insert.setString(1, task.dedupKey);
                insert.setLong(2, task.token);
                insert.executeUpdate();
            }
        }
        return first;
    }

    private boolean runAndCommit(Attempt task) throws SQLException {
        try (Connection connection = database.open()) {
            boolean first = run(connection, task);
            connection.commit();
            return first;
        }
    }

    private CompletableFuture<Boolean> runElsewhere(Attempt task) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return runAndCommit(task);
            } catch (SQLException e) {
                throw new CompletionException(e);
            }
        });
    }

    private void awaitOneWaiter() {
        await().atMost(Duration.ofSeconds(30)).until(() -> database.waiters() == 1);
    }

    private long effects() throws SQLException {
        return database.number("SELECT count(*) FROM effects");
    }

    @Test
    void aTaskThatComesAgainWritesOnce() throws SQLException {
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-1", 5))).isTrue();
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-1", 6))).isFalse();
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-2", 7))).isTrue();
        // The same attempt, as after a commit whose answer was lost.
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-2", 7))).isFalse();
        assertThat(effects()).isEqualTo(2);
    }

    @Test
    void aCopyWithTheSameDeduplicationKeyWritesNothing() throws SQLException {
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-1", 5))).isTrue();
        assertThat(runAndCommit(new Attempt("k", "0/0:9", "d-1", 6))).isFalse();
        assertThat(runAndCommit(new Attempt(null, "0/0:1", "d-9", 6))).isTrue();
        assertThat(effects()).isEqualTo(2);
    }

    /** After Kafka's log was cut, Redis was lost, or the topic was made anew. */
    @Test
    void positionsAreNoNames() throws SQLException {
        assertThat(runAndCommit(new Attempt("k", "0/0:60", "d-1", 5))).isTrue();
        assertThat(runAndCommit(new Attempt("k", "0/1:60", "d-1", 6))).isFalse();
        assertThat(runAndCommit(new Attempt("k", "0/0:60", "d-2", 7))).isTrue();
        try (Connection connection = database.open()) {
            assertThatThrownBy(() -> Once.begin(connection, new Attempt("k", "0/0:60", null, 8)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("no deduplication key");
            connection.rollback();
        }
        assertThat(effects()).isEqualTo(2);
    }

    @Test
    void aHandlerNamesTasksAndScopes() throws SQLException {
        String longest = "n".repeat(512);
        Attempt task = new Attempt("k", "0/0:1", null, 5);
        // A consumer group of its own has tokens of its own.
        Attempt ofOtherGroup = new Attempt("k", "0/0:1", null, 1);
        try (Connection connection = database.open()) {
            assertThat(Once.begin(connection, task, longest)).isTrue();
            assertThat(Once.begin(connection, task, longest)).isFalse();
            assertThat(Once.begin(connection, task, "n".repeat(511))).isTrue();
            assertThat(Once.begin(connection, ofOtherGroup, longest, "billing")).isTrue();
            assertThat(Once.begin(connection, ofOtherGroup, longest, "billing")).isFalse();
            assertThat(Once.begin(connection, new Attempt("k", "0/0:1", "n", 5)))
                    .as("a deduplication key is no name")
                    .isTrue();
            connection.commit();
            assertThatThrownBy(() -> Once.begin(connection, task, longest + "n"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Once.begin(connection, task, "n", "a/b"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void aRollbackLeavesTheTaskToTheNextAttempt() throws SQLException {
        try (Connection connection = database.open()) {
            assertThat(run(connection, new Attempt("k", "0/0:1", "d-1", 5))).isTrue();
            connection.rollback();
        }
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-1", 6))).isTrue();
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void keysAndTasksAreComparedByteByByte() throws SQLException {
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d", 9))).isTrue();
        assertThat(runAndCommit(new Attempt("K", "0/0:2", "D", 5))).isTrue();
        assertThat(runAndCommit(new Attempt("k ", "0/0:3", "d ", 5))).isTrue();
        assertThat(effects()).isEqualTo(3);
    }

    @Test
    void aLowerTokenIsRefused() throws SQLException {
        assertThat(runAndCommit(new Attempt("k", "0/0:1", "d-2", 6))).isTrue();
        assertThatThrownBy(() -> runAndCommit(new Attempt("k", "0/0:1", "d-1", 5)))
                .isInstanceOf(StaleTokenException.class)
                .isInstanceOf(SnoozeError.class)
                .hasMessageContaining("token 5");
        assertThat(runAndCommit(new Attempt("other", "0/0:1", "d-1", 5))).isTrue();
        assertThat(effects()).isEqualTo(2);
    }

    @Test
    void concurrentAttemptsWaitAndOneWrites() throws SQLException {
        for (String key : new String[] {"k", null}) {
            long before = effects();
            try (Connection connection = database.open()) {
                assertThat(run(connection, new Attempt(key, "0/0:1", "d-7" + key, 5)))
                        .isTrue();
                CompletableFuture<Boolean> other = runElsewhere(new Attempt(key, "0/0:1", "d-7" + key, 6));
                awaitOneWaiter();
                connection.commit();
                assertThat(other.join()).isFalse();
            }
            assertThat(effects()).isEqualTo(before + 1);
        }
    }

    @Test
    void anAttemptThatWaitedForALaterOneIsRefused() throws SQLException {
        try (Connection connection = database.open()) {
            assertThat(run(connection, new Attempt("k", "0/0:1", "d-1", 6))).isTrue();
            CompletableFuture<Boolean> frozen = runElsewhere(new Attempt("k", "0/0:1", "d-1", 5));
            awaitOneWaiter();
            connection.commit();
            assertThatThrownBy(frozen::join).hasCauseInstanceOf(StaleTokenException.class);
        }
        assertThat(effects()).isEqualTo(1);
    }

    @Test
    void aConnectionThatCommitsByItselfIsRefused() throws SQLException {
        try (Connection connection = database.source().getConnection()) {
            assertThatThrownBy(() -> Once.begin(connection, new Attempt("k", "0/0:1", "d-1", 5)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("setAutoCommit(false)");
        }
    }

    @Test
    void whatIsOldIsCleaned() throws SQLException {
        runAndCommit(new Attempt("old", "0/0:1", "d-1", 5));
        database.execute("UPDATE tandem_once SET done_at = " + database.daysAgo(8));
        database.execute("UPDATE tandem_once_key SET used_at = " + database.daysAgo(8));
        runAndCommit(new Attempt("new", "0/0:1", "d-2", 5));
        try (Connection connection = database.open()) {
            assertThat(Once.clean(connection, Duration.ofDays(7))).isEqualTo(2);
            connection.commit();
        }
        assertThat(database.number("SELECT count(*) FROM tandem_once")).isEqualTo(1);
        assertThat(database.number("SELECT count(*) FROM tandem_once_key WHERE task_key = 'new'"))
                .isEqualTo(1);
    }

    /** An attempt at a task. */
    private record Attempt(
            @Nullable String key, String position, @Nullable String dedupKey, long token) implements TaskContext {

        @Override
        public String id() {
            return "label";
        }

        @Override
        public String queue() {
            return "orders";
        }

        @Override
        public String type() {
            return "ship";
        }

        @Override
        public byte[] payload() {
            return new byte[0];
        }

        @Override
        public <T> T payload(Class<T> type) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, String> headers() {
            return Map.of();
        }

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public int maxAttempts() {
            return 5;
        }

        @Override
        public Optional<Instant> deadline() {
            return Optional.empty();
        }

        @Override
        public boolean isCancelled() {
            return false;
        }

        @Override
        public Duration leaseRemaining() {
            return Duration.ofSeconds(10);
        }
    }
}
