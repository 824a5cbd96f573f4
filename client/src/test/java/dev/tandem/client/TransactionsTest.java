package dev.tandem.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient.Route;
import dev.tandem.client.TransactionBoundary.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Submissions inside of transactions of the application. */
class TransactionsTest {

    private static final Duration WAIT = Duration.ofMillis(1);

    private final FakePublisher publisher = new FakePublisher();
    private final FakeTransactions transactions = new FakeTransactions();
    private final TaskClient client = TandemClient.builder()
            .queue("orders", new Route(publisher, true))
            .transactions(transactions)
            .build();

    private static TaskRequest<?> task(String id) {
        return TaskRequest.of("orders", "ship", null).with(TaskOptions.id(id));
    }

    @Test
    void tasksAreSentInTheirOrderAfterTheCommit() throws Exception {
        transactions.begin();
        TaskRef<?> first = client.submit(task("1"));
        client.submitAll(List.of(task("2"), task("3")));
        client.submit(task("4"));
        assertThat(publisher.sent).isEmpty();
        assertThat(first.accepted()).isNotDone();

        transactions.end(Outcome.COMMITTED);

        assertThat(publisher.ids()).containsExactly("1", "2", "3", "4");
        publisher.acknowledge(0);
        assertThat(first.await(WAIT)).isSameAs(first);
    }

    @Test
    void anErrorOfOneTaskAfterTheCommitIsNoneOfTheOthers() {
        transactions.begin();
        client.submit(task("1"));
        TaskRef<?> failing =
                client.submit(TaskRequest.of("orders", "error", null).with(TaskOptions.id("2")));
        client.submitAll(List.of(task("3"), task("4")));

        transactions.end(Outcome.COMMITTED);

        assertThat(publisher.ids()).containsExactly("1", "3", "4");
        assertThatThrownBy(() -> failing.await(WAIT))
                .isInstanceOf(SubmitException.class)
                .hasMessageContaining("NoClassDefFoundError");
    }

    @Test
    void tasksOfARolledBackOrUnknownTransactionAreNotSent() {
        transactions.begin();
        TaskRef<?> rolledBack = client.submit(task("1"));
        transactions.end(Outcome.ROLLED_BACK);
        transactions.begin();
        TaskRef<?> unknown = client.submit(task("2"));
        transactions.end(Outcome.UNKNOWN);

        assertThat(publisher.sent).isEmpty();
        assertThatThrownBy(() -> rolledBack.await(WAIT))
                .isInstanceOf(SubmitException.class)
                .hasMessageContaining("its transaction was rolled back");
        assertThatThrownBy(() -> unknown.await(WAIT)).hasMessageContaining("nobody knows");
    }

    @Test
    void aRollbackToASavepointDropsWhatWasSubmittedSince() {
        transactions.begin();
        client.submit(task("1"));
        int savepoint = transactions.savepoint();
        client.submit(task("2"));
        transactions.rollBackSince(savepoint);
        client.submit(task("3"));

        transactions.end(Outcome.COMMITTED);

        assertThat(publisher.ids()).containsExactly("1", "3");
    }

    @Test
    void awaitInsideOfTheTransactionFails() throws Exception {
        TaskRef<?> before = client.submit(task("0"));
        publisher.acknowledge(0);
        transactions.begin();
        TaskRef<?> inside = client.submit(task("1"));

        assertThatThrownBy(() -> inside.await(WAIT))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("await it after the transaction");
        assertThat(before.await(WAIT)).isSameAs(before);
    }

    @Test
    void aBadTaskIsRefusedInsideOfTheTransactionWithItsBatch() {
        transactions.begin();
        List<TaskRequest<?>> batch = List.of(task("1"), TaskRequest.of("other", "ship", null));

        assertThatThrownBy(() -> client.submitAll(batch)).isInstanceOf(InvalidTaskException.class);
        assertThatThrownBy(() -> client.submit(TaskRequest.of("orders", "ship", "x".repeat(11))))
                .isInstanceOf(InvalidTaskException.class);

        transactions.end(Outcome.COMMITTED);
        assertThat(publisher.sent).isEmpty();
    }

    @Test
    void whatWaitsForCommitsIsBounded() {
        int fits = (int) (HeldSubmissions.MAX_BYTES / HeldSubmissions.OVERHEAD);
        transactions.begin();
        client.submitAll(Collections.nCopies(fits, task("1")));
        List<TaskRef<?>> refused = new ArrayList<>();

        assertThatThrownBy(() -> refused.add(client.submit(task("2"))))
                .isExactlyInstanceOf(SubmitException.class)
                .hasMessageContaining("64 MiB of tasks wait for the commits");

        transactions.end(Outcome.ROLLED_BACK);
        transactions.begin();
        client.submit(task("3"));
        transactions.end(Outcome.COMMITTED);
        assertThat(publisher.ids()).containsExactly("3");
    }
}
