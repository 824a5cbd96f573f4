package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** When a process that cannot reach the store leaves its partitions to others, where the broker assigns them. */
class RestKeeperTest {

    private static final Partition P0 = Partition.of("orders", 0);
    private static final Partition P1 = Partition.of("orders", 1);
    private static final Source.Facts FACTS = new Source.Facts(1, "topic", 0, 0);
    private static final long LEASE = TestContexts.SETTINGS.leaseMillis();

    private final ManualClock clock = new ManualClock();
    private final ScriptedSource source = new ScriptedSource();
    private final ScriptedStore store = new ScriptedStore();
    private final TimeoutWatchdog watchdog = new TimeoutWatchdog(clock, 10_000, attempt -> {});
    private final QueueLoop loop = new QueueLoop(
            QueueSpec.queue("orders")
                    .source(source)
                    .store(store)
                    .policy(QueuePolicy.ordered(4))
                    .defaultType("any")
                    .action("any", task -> {})
                    .build(),
            TestContexts.of(clock, watchdog, TestContexts.TIMINGS, ExecutorMetrics.NONE),
            HandlerThreads.platform("test-"));

    @AfterEach
    void stop() {
        loop.requestStop();
    }

    private void steps() {
        for (int i = 0; i < 5; i++) {
            source.wakeup();
            loop.step();
        }
    }

    private void assign(Partition... partitions) {
        for (Partition partition : partitions) {
            source.then(events -> events.assigned(partition, FACTS));
        }
        steps();
        assertThat(source.calls).contains("open " + partitions[0]);
        source.calls.clear();
    }

    private List<String> rests() {
        return source.calls.stream().filter(call -> call.startsWith("rest")).toList();
    }

    @Test
    void processJoinsOnceItHasReachedTheStore() {
        store.reachable = false;
        steps();
        assertThat(rests()).containsExactly("rest true");
        assertThat(loop.status().problem()).contains("outside the consumer group", "not connected yet");

        store.listeners.get(P0).up();
        steps();
        assertThat(rests()).containsExactly("rest true", "rest false");
        assertThat(loop.status().problem()).isNull();
        assertThat(store.listeners).as("the link that tells of the store").containsOnlyKeys(P0);
    }

    @Test
    void processJoinsAfterALeaseIfOnlyThePartOfTheFirstPartitionIsAway() {
        store.reachable = false;
        steps();
        clock.advance(2 * LEASE);
        steps();
        assertThat(rests()).as("nothing is reached").containsExactly("rest true");

        store.partReachable = true;
        clock.advance(2 * LEASE);
        steps();
        assertThat(rests()).containsExactly("rest true", "rest false");
    }

    @Test
    void processThatLeftComesBackOnlyOnceALinkIsUp() {
        assign(P0);
        store.partReachable = true;
        store.listeners.get(P0).down("cut");
        steps();
        clock.advance(2 * LEASE);
        steps();
        clock.advance(2 * LEASE);
        steps();
        assertThat(rests()).containsExactly("rest true");
    }

    @Test
    void processLeavesAfterALeaseWithoutTheStoreAndComesBack() {
        assign(P0, P1);
        store.listeners.get(P0).down("cut");
        store.listeners.get(P1).down("cut");
        steps();
        clock.advance(LEASE - 1);
        steps();
        assertThat(rests()).as("within the lease").isEmpty();
        clock.advance(LEASE / 4 + 1);
        steps();
        assertThat(rests()).containsExactly("rest true");

        source.then(events -> events.revoked(List.of(P0, P1)));
        steps();
        assertThat(loop.status().partitions()).isZero();
        assertThat(loop.status().problem()).contains("outside the consumer group", "cut");

        store.listeners.get(P1).up();
        steps();
        assertThat(rests()).containsExactly("rest true", "rest false");
        assertThat(loop.status().problem()).isNull();
        store.listeners.get(P0).up();
        assign(P0);
    }

    @Test
    void processStaysWhileOneOfItsStoresIsReached() {
        assign(P0, P1);
        store.listeners.get(P0).down("one node of a cluster");
        steps();
        clock.advance(10 * LEASE);
        steps();
        assertThat(rests()).isEmpty();
    }

    @Test
    void quietStoreIsNotASilentOne() {
        assign(P0);
        clock.advance(LEASE / 5);
        steps();
        store.silent = true;
        clock.advance(LEASE / 5);
        steps();
        store.answerWithheld();
        steps();
        clock.advance(100 * LEASE);
        store.listeners.get(P0).down("cut");
        steps();
        assertThat(rests()).isEmpty();
    }

    @Test
    void storeThatLetsConnectButAnswersNothingIsSilent() {
        assign(P0);
        store.silent = true;
        for (int i = 0; i < 6; i++) {
            store.listeners.get(P0).down("no answer");
            steps();
            clock.advance(LEASE / 4);
            store.listeners.get(P0).up();
            steps();
            source.then(events -> events.confirmed(P0, FACTS));
            steps();
        }
        store.listeners.get(P0).down("no answer");
        steps();
        assertThat(rests()).contains("rest true");
    }

    @Test
    void newPartitionsGiveTheStoreAnotherLease() {
        assign(P0);
        store.listeners.get(P0).down("cut");
        steps();
        clock.advance(LEASE - 1);
        store.reachable = false;
        source.then(events -> events.assigned(P1, FACTS));
        steps();
        clock.advance(LEASE - 1);
        steps();
        assertThat(rests()).isEmpty();
    }
}
