package dev.tandem.spring;

import static dev.tandem.client.TransactionBoundary.Outcome.COMMITTED;
import static dev.tandem.client.TransactionBoundary.Outcome.ROLLED_BACK;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.event.TransactionalEventListenerFactory;
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

    /** Submits as {@link Gateway} does: held where a transaction is open, at once elsewhere. */
    private void submitAnywhere(String name) {
        if (transactions.isOpen()) {
            submit(name);
        } else {
            ends.add(name + " at once");
        }
    }

    /** An event listener, as applications have them. */
    static final class Listener {

        private final Runnable code;

        Listener(Runnable code) {
            this.code = code;
        }

        @TransactionalEventListener
        void committed(String event) {
            code.run();
        }

        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        void rolledBack(String event) {
            code.run();
        }
    }

    @Test
    void whatAListenerSubmitsAfterTheCommitComesBehindItsTransaction() {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(TransactionalEventListenerFactory.class);
            context.registerBean(Listener.class, () -> new Listener(() -> submitAnywhere("listener")));
            context.refresh();
            TransactionTemplate required = template(TransactionDefinition.PROPAGATION_REQUIRED);
            required.executeWithoutResult(status -> {
                context.publishEvent("bought");
                submit("a");
            });
            required.executeWithoutResult(status -> {
                context.publishEvent("bought");
                submit("b");
                status.setRollbackOnly();
            });
        }

        assertThat(ends).containsExactly("a " + COMMITTED, "listener at once", "b " + ROLLED_BACK, "listener at once");
    }

    private void submitAtCompletionBeforeAllOthers(String name) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public int getOrder() {
                return HIGHEST_PRECEDENCE;
            }

            @Override
            public void afterCompletion(int status) {
                submitAnywhere(name);
            }
        });
    }

    @Test
    void whatIsSubmittedWhileTheTransactionCompletesIsSentBehindIt() {
        TransactionTemplate required = template(TransactionDefinition.PROPAGATION_REQUIRED);
        required.executeWithoutResult(status -> {
            submitAtCompletionBeforeAllOthers("late-1");
            submit("a");
        });
        required.executeWithoutResult(status -> {
            submitAtCompletionBeforeAllOthers("late-2");
            submit("b");
            status.setRollbackOnly();
        });

        assertThat(ends)
                .containsExactly("a " + COMMITTED, "late-1 " + COMMITTED, "b " + ROLLED_BACK, "late-2 " + COMMITTED);
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void whatIsSubmittedByAnActionIsSentBehindTheOthers() {
        template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            transactions.onEnd(outcome -> submitAnywhere("of the first"));
            submit("second");
        });

        assertThat(ends).containsExactly("second " + COMMITTED, "of the first " + COMMITTED);
        assertThat(transactions.isOpen()).isFalse();
    }

    @Test
    void aTransactionThatAnotherThreadCompletesKeepsNothingOfLaterOnes() throws Exception {
        TransactionSynchronizationManager.initSynchronization();
        TransactionSynchronizationManager.setActualTransactionActive(true);
        submit("a");
        List<TransactionSynchronization> jta = TransactionSynchronizationManager.getSynchronizations();
        TransactionSynchronizationManager.clear();
        Thread completing = new Thread(
                () -> jta.forEach(each -> each.afterCompletion(TransactionSynchronization.STATUS_COMMITTED)));
        completing.start();
        completing.join();
        assertThat(transactions.isOpen()).isFalse();

        template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> submit("b"));

        assertThat(ends).containsExactly("a " + COMMITTED, "b " + COMMITTED);
        assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
    }

    @Test
    void eachTransactionHasAnAttachmentOfItsOwn() {
        List<Object> seen = new ArrayList<>();
        Object owner = new Object();
        template(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            seen.add(transactions.attachment(owner, Object::new));
            template(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                    .executeWithoutResult(inner -> seen.add(transactions.attachment(owner, Object::new)));
            seen.add(transactions.attachment(owner, Object::new));
        });

        assertThat(seen.get(0)).isSameAs(seen.get(2)).isNotSameAs(seen.get(1));
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
