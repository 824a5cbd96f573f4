package dev.tandem.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.outbox.OutboxTransactions.Write;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Rows of an outbox in the transactions of a real database, whose commits and rollbacks may fail. */
class SpringOutboxTransactionsTest {

    private final EmbeddedDatabase embedded = new EmbeddedDatabaseBuilder()
            .setType(EmbeddedDatabaseType.H2)
            .generateUniqueName(true)
            .build();
    private final FailingDataSource database = new FailingDataSource();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(database);
    private final SpringTransactions boundary = new SpringTransactions();
    private final SpringOutboxTransactions transactions = new SpringOutboxTransactions(database, "shop", boundary);
    private final List<String> ends = new ArrayList<>();

    /** The real connections, of which single methods fail. */
    private final class FailingDataSource extends DelegatingDataSource {

        private final List<String> calls = new ArrayList<>();
        private int commitsUntilFailure = Integer.MAX_VALUE;
        private boolean rollbackFails;

        FailingDataSource() {
            super(embedded);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        calls.add(method.getName());
                        if (method.getName().equals("commit") && --commitsUntilFailure < 0
                                || method.getName().equals("rollback") && rollbackFails) {
                            throw new SQLException("The " + method.getName() + " failed");
                        }
                        try {
                            return method.invoke(real, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
        }
    }

    @BeforeEach
    void createTable() {
        new JdbcTemplate(embedded).execute("CREATE TABLE tasks (name VARCHAR(20))");
    }

    @AfterEach
    void closeDatabase() {
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
        embedded.shutdown();
    }

    private TransactionTemplate template(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private TransactionTemplate transaction() {
        return template(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    private static Write row(String name) {
        return connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO tasks VALUES (?)")) {
                insert.setString(1, name);
                insert.executeUpdate();
            }
        };
    }

    private void submit(String name) {
        submit(name, row(name));
    }

    private void submit(String name, Write write) {
        try {
            transactions.write(write, () -> ends.add(name + " committed"), () -> ends.add(name + " lost"));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> rows() {
        return new JdbcTemplate(embedded).queryForList("SELECT name FROM tasks ORDER BY name", String.class);
    }

    private static void afterCommit(Runnable action) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                action.run();
            }
        });
    }

    @Test
    void aSuspendedTransactionAndItsInnerOneEndEachByItself() {
        TransactionTemplate inner = template(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        transaction().executeWithoutResult(outer -> {
            submit("outer-1");
            inner.executeWithoutResult(status -> submit("inner"));
            inner.executeWithoutResult(status -> {
                submit("undone");
                status.setRollbackOnly();
            });
            assertThat(ends).containsExactly("inner committed", "undone lost");
            submit("outer-2");
        });

        assertThat(ends).containsExactly("inner committed", "undone lost", "outer-1 committed", "outer-2 committed");
        assertThat(rows()).containsExactly("inner", "outer-1", "outer-2");
    }

    @Test
    void anInnerTransactionAfterTheCommitEndsByItself() {
        transaction().executeWithoutResult(outer -> {
            submit("early");
            afterCommit(() -> template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(status -> submit("inner")));
        });

        assertThat(ends).containsExactlyInAnyOrder("early committed", "inner committed");
        assertThat(rows()).containsExactly("early", "inner");
    }

    @Test
    void theFirstTaskMayBeSubmittedAfterTheCommit() {
        transaction()
                .executeWithoutResult(status -> afterCommit(() -> {
                    submit("late");
                    assertThat(ends).isEmpty();
                }));

        assertThat(ends).containsExactly("late committed");
        assertThat(rows()).containsExactly("late");
    }

    @Test
    void aTaskWhoseLateCommitFailsIsReportedAsLost() {
        database.commitsUntilFailure = 1;
        transaction().executeWithoutResult(status -> afterCommit(() -> submit("late")));

        assertThat(ends).containsExactly("late lost");
    }

    @Test
    void aTaskOfAReadOnlyTransactionIsWrittenAfterItsCommit() {
        TransactionTemplate readOnly = transaction();
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> {
            submit("read");
            assertThat(rows()).isEmpty();
        });
        readOnly.executeWithoutResult(status -> {
            submit("undone");
            status.setRollbackOnly();
        });
        database.commitsUntilFailure = 1;
        readOnly.executeWithoutResult(status -> submit("failed"));

        assertThat(ends).containsExactly("read committed", "undone lost", "failed lost");
        assertThat(rows()).containsExactly("read");
    }

    @Test
    void anErrorWithoutATransactionWritesNothing() {
        assertThatThrownBy(() -> submit("broken", connection -> {
                    row("broken").to(connection);
                    throw new StackOverflowError();
                }))
                .isInstanceOf(StackOverflowError.class);

        assertThat(ends).isEmpty();
        assertThat(rows()).isEmpty();
        assertThat(database.calls).containsSubsequence("rollback", "setAutoCommit", "close");
        submit("alone");
        assertThat(ends).containsExactly("alone committed");
        assertThat(rows()).containsExactly("alone");
    }

    @Test
    void aFailedRollbackHidesNoFailureAndIsFollowedByNoCommit() {
        database.rollbackFails = true;
        assertThatThrownBy(() -> submit("broken", connection -> {
                    row("broken").to(connection);
                    throw new IllegalArgumentException("the cause");
                }))
                .hasMessage("the cause")
                .satisfies(failure -> assertThat(failure.getSuppressed())
                        .singleElement()
                        .satisfies(suppressed -> assertThat(suppressed).hasMessage("The rollback failed")));

        assertThat(database.calls.stream().filter("setAutoCommit"::equals)).hasSize(1);
        assertThat(rows()).isEmpty();
    }

    @Test
    void aTransactionThatDoesNotUseTheDatabaseIsRefused() {
        EmbeddedDatabase other = new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
        try {
            TransactionTemplate elsewhere = new TransactionTemplate(new DataSourceTransactionManager(other));
            assertThatThrownBy(() -> elsewhere.executeWithoutResult(status -> submit("a")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the open transaction does not use it");
        } finally {
            other.shutdown();
        }
        assertThat(rows()).isEmpty();
    }
}
