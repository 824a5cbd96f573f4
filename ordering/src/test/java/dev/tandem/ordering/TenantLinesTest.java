package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.CustodyBounds;
import dev.tandem.task.DeadHead;
import dev.tandem.task.FairPolicy;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.StartPolicy;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRequest.Move.JoinLine;
import dev.tandem.task.store.StoreRoom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Examples of the core: a burst of one tenant that is larger than the prefetch of a message queue waits in the tenant's line, so
 * that the task of another is delivered and starts.
 */
class TenantLinesTest {

    private static final int PREFETCH = 40;
    private static final int BURST = 400;
    private static final String SMALL = "b/x1";
    private static final long LONG_RUN = 10 * CoreScript.SETTINGS.horizonMillis();

    private CoreScript core = fair(PREFETCH).owns();
    /** Messages that the broker has not delivered yet, in order. */
    private final ArrayDeque<String> ready = new ArrayDeque<>();

    private int delivered;
    private final List<String> starts = new ArrayList<>();

    private static CoreScript fair(int prefetch) {
        return fair(prefetch, 1_000, CustodyBounds.DEFAULTS);
    }

    private static CoreScript fair(int prefetch, int maxParked, CustodyBounds custody) {
        QueuePolicy policy = new QueuePolicy(true, 2, DeadHead.HALT, prefetch, 1 << 20, maxParked, maxParked, 10_000)
                .withStarts(new StartPolicy(StartPolicy.NO_WEIGHT, 0, new FairPolicy(null, "/", Map.of())));
        return new CoreScript(new ScriptedWorld(), Source.Kind.QUEUE, policy, custody, CoreScript.PARTITION);
    }

    /** Tasks of 20 keys of a tenant. */
    private void publishes(String tenant, int tasks) {
        IntStream.range(0, tasks)
                .mapToObj(i -> tenant + "/" + (char) ('a' + i % 20) + i)
                .forEach(ready::add);
    }

    private void deliversWhatFits() {
        while (!ready.isEmpty() && delivered - core.acked().size() < PREFETCH) {
            core.delivers(ready.poll());
            delivered++;
        }
    }

    /** Lets time pass while nothing that runs ends. */
    private void standsStill(long millis) {
        for (long passed = 0; passed < millis; passed += 500) {
            deliversWhatFits();
            core.passes(500);
        }
    }

    /** Lets all that runs succeed, until nothing is left. */
    private void runsOut() {
        for (int i = 0; i < 20 * BURST && (!core.running().isEmpty() || !ready.isEmpty()); i++) {
            if (!core.running().isEmpty()) {
                String next = core.running().get(0);
                starts.add(next);
                core.succeeds(next);
            }
            deliversWhatFits();
            core.passes(20);
        }
    }

    private long joined() {
        return core.sent(StoreRequest.TakeCustody.class).stream()
                .flatMap(request -> request.entries().stream())
                .filter(entry -> entry.move() instanceof JoinLine)
                .count();
    }

    private void eachKeyRanInOrder(int tasks) {
        assertThat(starts).doesNotHaveDuplicates().hasSize(tasks);
        for (int key = 0; key < 20; key++) {
            String prefix = "a/" + (char) ('a' + key);
            assertThat(starts.stream()
                            .filter(name -> name.startsWith(prefix))
                            .map(name -> Integer.parseInt(name.substring(prefix.length()))))
                    .as(prefix)
                    .isSortedAccordingTo(Comparator.naturalOrder());
        }
    }

    @Test
    void aTaskBehindABurstThatRunsSlowlyStartsAfterAFewStarts() {
        publishes("a", BURST);
        ready.add(SMALL);
        standsStill(60_000);
        assertThat(ready).as("what was not delivered").isEmpty();

        runsOut();

        eachKeyRanInOrder(BURST + 1);
        assertThat(starts.indexOf(SMALL)).isLessThan(8);
        assertThat(core.store().inStore()).isEmpty();
        core.passes(10_000);
        assertThat(core.acked()).hasSize(BURST + 1);
    }

    @Test
    void whatRunsFastIsNotPutAside() {
        publishes("a", BURST);
        ready.add(SMALL);
        deliversWhatFits();

        runsOut();

        eachKeyRanInOrder(BURST + 1);
        assertThat(joined()).isZero();
    }

    @Test
    void aBurstThatFitsIsNotPutAside() {
        publishes("a", PREFETCH - 2);
        ready.add(SMALL);

        standsStill(20_000);
        runsOut();

        eachKeyRanInOrder(PREFETCH - 1);
        assertThat(joined()).isZero();
        assertThat(starts.indexOf(SMALL)).isLessThan(8);
    }

    @Test
    void nothingJoinsWhileLessThanHalfOfTheStoresMemoryIsLeft() {
        core.storeHasRoom(StoreRoom.SOME);
        publishes("a", BURST);
        ready.add(SMALL);
        standsStill(20_000);
        assertThat(joined()).isZero();

        core.storeHasRoom(StoreRoom.HALF);
        standsStill(20_000);
        long before = joined();
        assertThat(before).isPositive();

        core.storeHasRoom(StoreRoom.SOME);
        standsStill(20_000);
        assertThat(joined()).isEqualTo(before);

        runsOut();
        eachKeyRanInOrder(BURST + 1);
        assertThat(core.store().inStore()).isEmpty();
    }

    @Test
    void aBurstTakesHalfOfMaxParkedAndWhatWaitsBehindAFailedTaskTheRest() {
        core = fair(PREFETCH, 100, CustodyBounds.DEFAULTS).owns();
        publishes("a", BURST);
        standsStill(LONG_RUN - 1_000);
        assertThat(joined()).isPositive();
        assertThat(core.store().parked()).isEqualTo(50);

        List.copyOf(core.running()).forEach(name -> core.fails(name, 60_000));
        standsStill(10_000);
        assertThat(core.store().parked()).isGreaterThan(50);

        core.passes(60_000);
        runsOut();
        eachKeyRanInOrder(BURST);
        assertThat(core.store().inStore()).isEmpty();
    }

    @Test
    void whatWaitsBehindATaskThatRunsForLongTakesTheRestToo() {
        core = fair(PREFETCH, 100, CustodyBounds.DEFAULTS).owns();
        publishes("a", BURST);
        standsStill(LONG_RUN - 1_000);
        assertThat(core.store().parked()).isEqualTo(50);

        standsStill(5_000);
        assertThat(core.store().parked()).isGreaterThan(50);
    }

    @Test
    void aBurstTakesHalfOfWhatTheStoreMayHoldAndTheRestWaits() {
        core = fair(PREFETCH, 1_000, new CustodyBounds(200, 1 << 20)).owns();
        publishes("a", BURST);
        standsStill(LONG_RUN - 1_000);
        assertThat(joined()).isPositive();
        assertThat(core.store().inStore()).hasSizeBetween(100, 100 + PREFETCH);
        assertThat(ready).isNotEmpty();

        runsOut();
        eachKeyRanInOrder(BURST);
        assertThat(core.store().inStore()).isEmpty();
    }

    @Test
    void aLineIsReadByTheNextOwner() {
        publishes("a", BURST);
        standsStill(60_000);
        assertThat(joined()).isPositive();
        CoreScript next = core.anotherExecutor();
        List<String> unacked = new ArrayList<>(core.running());
        core.dies();
        core = next;
        delivered = 0;
        next.assigned();
        core.passes(15_000);
        next.connects();
        next.catchesUp();

        runsOut();
        core.passes(60_000);
        runsOut();

        assertThat(unacked).isNotEmpty();
        assertThat(starts).doesNotHaveDuplicates();
        assertThat(starts.size()).isGreaterThan(BURST / 2);
    }
}
