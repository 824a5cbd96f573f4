package dev.tandem.spring;

import static dev.tandem.client.TransactionBoundary.Outcome.COMMITTED;
import static dev.tandem.client.TransactionBoundary.Outcome.ROLLED_BACK;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Transactions of a real database. */
class SpringTransactionsTest {

    private final EmbeddedDatabase database = new EmbeddedDatabaseBuilder()
            .setType(EmbeddedDatabaseType.H2)
            .generateUniqueName(true)
            .build();
    private final DataSourceTransactionManager manager = new DataSourceTransactionManager(database);
    private final SpringTransactions transactions = new SpringTransactions();
    private final List<String> ends = new ArrayList<>();

    @AfterEach
    void closeDatabase() {
        database.shutdown();
    }

    private TransactionTemplate template(int propagation) {
        TransactionTemplate template = new TransactionTemplate(manager);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private void submit(String name) {
        assertThat(transactions.isOpen()).isTrue();
        transactions.onEnd(outcome -> ends.add(name + " " + outcome));
    }

    @Test
    void theEndOfTheTransactionDecides() {
        TransactionTemplate required = template(TransactionDefinition.PROPAGATION_REQUIRED);
        required.executeWithoutResult(status -> {
            submit("a");
            submit("b");
            assertThat(ends).isEmpty();
        });
        required.executeWithoutResult(status -> {
            submit("c");
            status.setRollbackOnly();
        });

        assertThat(ends).containsExactly("a " + COMMITTED, "b " + COMMITTED, "c " + ROLLED_BACK);
        assertThat(transactions.isOpen()).isFalse();
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void aReadOnlyTransactionIsOneToo() {
        TransactionTemplate readOnly = template(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(status -> {
            submit("a");
            assertThat(ends).isEmpty();
        });

        assertThat(ends).containsExactly("a " + COMMITTED);
    }

    @Test
    void withoutARealTransactionNothingIsHeld() {
        template(TransactionDefinition.PROPAGATION_SUPPORTS)
                .executeWithoutResult(
                        status -> assertThat(transactions.isOpen()).isFalse());
        template(TransactionDefinition.PROPAGATION_REQUIRED)
                .executeWithoutResult(status -> template(TransactionDefinition.PROPAGATION_NOT_SUPPORTED)
                        .executeWithoutResult(
                                inner -> assertThat(transactions.isOpen()).isFalse()));
    }

    @Test
    void aSuspendedTransactionAndItsInnerOneEndEachByItself() {
        template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            submit("outer-1");
            template(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> submit("inner"));
            assertThat(ends).containsExactly("inner " + COMMITTED);
            submit("outer-2");
            outer.setRollbackOnly();
        });

        assertThat(ends).containsExactly("inner " + COMMITTED, "outer-1 " + ROLLED_BACK, "outer-2 " + ROLLED_BACK);
    }

    @Test
    void aRollbackToASavepointTakesBackOnlyWhatCameAfterIt() {
        TransactionTemplate nested = template(TransactionDefinition.PROPAGATION_NESTED);
        template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            submit("before");
            nested.executeWithoutResult(inner -> submit("kept"));
            nested.executeWithoutResult(inner -> {
                submit("undone-1");
                submit("undone-2");
                inner.setRollbackOnly();
            });
            assertThat(ends).containsExactly("undone-1 " + ROLLED_BACK, "undone-2 " + ROLLED_BACK);
            submit("after");
        });

        assertThat(ends.subList(2, ends.size()))
                .containsExactly("before " + COMMITTED, "kept " + COMMITTED, "after " + COMMITTED);
    }

    @Test
    void aSavepointThatIsOlderThanTheFirstSubmissionTakesBackAll() {
        TransactionTemplate nested = template(TransactionDefinition.PROPAGATION_NESTED);
        template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            nested.executeWithoutResult(inner -> {
                submit("undone");
                inner.setRollbackOnly();
            });
            submit("after");
        });

        assertThat(ends).containsExactly("undone " + ROLLED_BACK, "after " + COMMITTED);
    }

    @Test
    void whatIsSubmittedAfterTheCommitIsSentToo() {
        template(TransactionDefinition.PROPAGATION_REQUIRED)
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                submit("after the commit");
                            }
                        }));

        assertThat(ends).containsExactly("after the commit " + COMMITTED);
    }
}
