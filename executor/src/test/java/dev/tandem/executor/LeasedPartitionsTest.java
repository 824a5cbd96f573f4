package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.ordering.CoreSettings;
import dev.tandem.task.Delivery;
import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue whose broker assigns no partitions: the loop leases its share. */
class LeasedPartitionsTest {

    private static final List<Partition> ALL =
            IntStream.range(0, 4).mapToObj(n -> Partition.of("mail", n)).toList();

    private final ScriptedSource source = new ScriptedSource(Source.Kind.QUEUE);
    private final ScriptedStore store = new ScriptedStore();
    private final AtomicInteger ran = new AtomicInteger();
    private volatile Set<String> members = Set.of();
    private Executor executor = Executor.builder().build();

    @BeforeEach
    void start() {
        start(TestContexts.SETTINGS);
    }

    private void start(CoreSettings settings) {
        executor = Executor.builder()
                .settings(settings)
                .queue(QueueSpec.queue("mail")
                        .source(source)
                        .store(store)
                        .policy(QueuePolicy.unordered(4))
                        .members(() -> members)
                        .defaultType("any")
                        .action("any", task -> ran.incrementAndGet())
                        .build())
                .build();
        executor.start();
    }

    @AfterEach
    void stop() {
        executor.stop();
    }

    private int partitions() {
        return executor.status().get(0).partitions();
    }

    private void assignAll() {
        source.leasable = ALL;
        await().until(() ->
                source.calls.containsAll(ALL.stream().map(p -> "open " + p).toList()));
    }

    @Test
    void aLoneExecutorOwnsAllPartitionsAndAcksSettledMessages() {
        assertThat(partitions()).as("while the broker cannot be reached").isZero();
        assignAll();
        Delivery delivery = new Delivery(7, Task.of("mail", null, new byte[0]), null, "message-1", false);
        source.then(events -> events.delivered(ALL.get(0), List.of(delivery), 8));

        await().until(() -> source.calls.contains("ack " + ALL.get(0) + " [7]"));
        assertThat(ran).hasValue(1);
    }

    @Test
    void theShareOfANewExecutorIsReleasedAndClosed() {
        assignAll();
        members = Set.of(executor.id(), "another");

        await().until(() -> partitions() == 2);
        assertThat(store.count(StoreRequest.Release.class)).isEqualTo(2);
        assertThat(source.calls.stream().filter(line -> line.startsWith("close ")))
                .hasSize(2);

        members = Set.of(executor.id());
        await().until(() -> partitions() == 4);
    }

    @Test
    void theStatusSaysThatAnExecutorWithAnotherSourceOwnsAPartition() {
        store.otherSource = "another queue";
        source.leasable = ALL;
        await().untilAsserted(() -> assertThat(executor.status().get(0).problem())
                .contains("queue mail is owned by another source: executor stranger reads 'another queue'")
                .contains("this one reads 'the mail queue'", "tandem.redis.namespace"));
        assertThat(executor.status().get(0).healthy()).isFalse();
        store.otherSource = "";
        source.then(events -> events.lost(ALL));
        await().until(() -> executor.status().get(0).healthy());
    }

    @Test
    void aLostPartitionIsAcquiredAgain() {
        assignAll();
        source.calls.clear();
        source.then(events -> events.lost(List.of(ALL.get(1))));

        await().until(() -> source.calls.contains("open " + ALL.get(1)));
        assertThat(source.calls).containsSubsequence("close " + ALL.get(1), "open " + ALL.get(1));
        assertThat(store.count(StoreRequest.Release.class))
                .as("others need not wait for the end of the lease")
                .isEqualTo(1);
    }

    @Test
    void aLeaseThatIsGrantedTooLateIsReleased() {
        store.silent = true;
        source.leasable = ALL;
        await().until(() -> store.count(StoreRequest.Acquire.class) == 4);
        members = Set.of(executor.id(), "another");
        await().until(() -> partitions() == 2);

        store.answerWithheld();

        await().until(() -> store.count(StoreRequest.Release.class) == 2);
        assertThat(source.calls.stream().filter(line -> line.startsWith("open ")))
                .hasSize(2);
    }

    @Test
    void closesAPartitionWhoseStoreCannotBeReachedForALease() {
        executor.stop();
        start(TestContexts.settings(500, 100, 50));
        assignAll();
        source.calls.clear();

        store.listeners.get(ALL.get(2)).down("as asked");

        await().until(() -> source.calls.contains("close " + ALL.get(2)));
        store.listeners.get(ALL.get(2)).up();
        await().until(() -> source.calls.contains("open " + ALL.get(2)));
        assertThat(source.calls).doesNotContain("close " + ALL.get(1));
    }

    @Test
    void holdsNoPartitionWhileTheBrokerCannotBeReached() {
        assignAll();
        source.leasable = List.of();

        await().until(() -> partitions() == 0);
        assignAll();
        await().until(() -> partitions() == 4);
    }
}
