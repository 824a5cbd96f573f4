package dev.tandem.test.shipping;

import static dev.tandem.api.TaskOptions.delay;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.when;

import dev.tandem.test.TandemTest;
import dev.tandem.test.TestTandem;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

@TandemTest
class ShippingTest {

    @Autowired
    ShippingTasks tasks;

    @Autowired
    TestTandem tandem;

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    ApplicationContext context;

    @MockitoBean
    Carrier carrier;

    @TestConfiguration
    static class Transactions {

        @Bean
        TransactionTemplate transaction() {
            return new TransactionTemplate(new NoResource());
        }
    }

    /** Transactions of nothing. */
    private static final class NoResource extends AbstractPlatformTransactionManager {

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object begun, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }

    @Test
    void ships() {
        tasks.ship("c-7", new Ship("o-7", 2), delay("5m"));
        tandem.advance("5m");

        tandem.assertThat("ship").succeeded().attempts(1);
    }

    /** One state for the whole context would have the tasks of the last repetition. */
    @RepeatedTest(2)
    void eachTestBeginsWithNothing() {
        assertThat(tandem.tasks()).isEmpty();
        tasks.ship("c-7", new Ship("o-1", 1));
        tandem.assertThat("ship").succeeded().count(1);
    }

    @Test
    void theOptionsOfTheHandlerCount() {
        when(carrier.book(any(), anyLong()))
                .thenThrow(new IllegalStateException("busy"))
                .thenThrow(new IllegalStateException("busy"))
                .thenThrow(new BadAddress("no such street"));
        tasks.ship("c-7", new Ship("o-7", 2));

        tandem.assertThat("ship").isWaiting().attempts(1);
        tandem.advance("1s").assertThat("ship").isWaiting().attempts(2);
        tandem.advance("2s").assertThat("ship").isDead("no such street").attempts(3);
    }

    @Test
    void tasksOfATransactionAreSubmittedAfterItsCommitAndNotAtAllOnRollback() {
        transaction.executeWithoutResult(status -> {
            tasks.ship("c-7", new Ship("committed", 2));
            tandem.assertThat("ship").isNotSubmitted();
        });
        transaction.executeWithoutResult(status -> {
            tasks.ship("c-7", new Ship("rolled back", 2));
            status.setRollbackOnly();
        });

        tandem.assertThat("ship")
                .count(1)
                .succeeded()
                .withPayload(new Ship("committed", 2))
                .count(1);
    }

    @Test
    void theInterceptorsOfTheApplicationRun() {
        Attempts attempts = context.getBean(Attempts.class);
        attempts.seen().clear();
        when(carrier.book(any(), anyLong()))
                .thenThrow(new IllegalStateException("busy"))
                .thenReturn(new Receipt("o-7", 1));
        tasks.ship("c-7", new Ship("o-7", 2));
        tandem.advance("1s").assertThat("ship").succeeded().attempts(2);

        assertThat(attempts.seen()).containsExactly("s-1 attempt 1", "s-1 attempt 2");
    }

    @Test
    void theSliceHasHandlersAndLeavesOutOtherComponents() {
        assertThat(context.getBeanNamesForType(Shipping.class)).hasSize(1);
        assertThat(context.containsBean("otherComponent")).isFalse();
    }
}
