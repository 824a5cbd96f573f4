package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelayCoreTest {

    private final RelayCore core = new RelayCore(true);

    private static OutboxRow row(long id, String key) {
        return row(id, "orders", key);
    }

    private static OutboxRow row(long id, String queue, String key) {
        TaskRequest<Object> task = new TaskRequest<>(queue, "ship", key, new byte[0], TaskOptions.id("t" + id));
        return new OutboxRow(id, Outbox.bucketOf(key == null ? "t" + id : key), task, 100, null);
    }

    /** Publishes one row, so that the broker counts as reachable. */
    private void reachBroker() {
        core.add(List.of(row(-1, "first")));
        assertThat(next()).containsExactly(-1L);
        core.accepted(-1);
        core.takeSettled();
    }

    private List<Long> next() {
        List<Long> ids = new ArrayList<>();
        core.next().forEach((queue, rows) -> {
            rows.forEach(row -> ids.add(row.id()));
            core.returned(queue);
        });
        return ids;
    }

    @Test
    void aRowIsPublishedOnlyAfterTheOneBeforeItInItsKey() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "a"), row(3, "b"), row(4, null), row(5, null)));
        assertThat(next()).containsExactly(1L, 3L, 4L, 5L);
        core.accepted(3);
        assertThat(next()).isEmpty();
        core.accepted(1);
        assertThat(next()).containsExactly(2L);
        assertThat(core.takeSettled().published()).containsExactly(3L, 1L);
    }

    @Test
    void oneRowIsTriedUntilTheBrokerIsKnownToBeReachable() {
        core.add(List.of(row(1, "a"), row(2, "b"), row(3, "c")));
        assertThat(next()).containsExactly(1L);
        assertThat(next()).isEmpty();
        core.accepted(1);
        assertThat(next()).containsExactly(2L, 3L);
    }

    @Test
    void aFailureBlocksItsKeyAndTheOthersGoOn() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "a"), row(3, "b"), row(4, "b")));
        assertThat(next()).containsExactly(1L, 3L);
        core.failed(1, "no leader", 1_000);
        core.accepted(3);
        assertThat(next()).containsExactly(4L);
        assertThat(core.takeSettled().failed()).containsEntry(1L, "no leader");
        assertThat(core.exclusions(1_999).keys()).contains(row(1, "a").lane());
        assertThat(core.exclusions(2_000).keys()).doesNotContain(row(1, "a").lane());
    }

    @Test
    void aQueueOfWhichAllFailsWaitsAndAnotherQueueGoesOn() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "b"), row(3, "c"), row(9, "mail", "a")));
        assertThat(next()).containsExactlyInAnyOrder(1L, 2L, 3L, 9L);
        core.failed(1, "away", 0);
        core.failed(2, "away", 0);
        core.failed(3, "away", 0);
        assertThat(core.exclusions(999).queues()).containsExactly("orders");
        core.accepted(9);
        assertThat(core.exclusions(1_000).queues()).isEmpty();
        // Then one row at a time.
        core.add(List.of(row(4, "d"), row(5, "e")));
        assertThat(next()).containsExactly(4L);
    }

    @Test
    void aQueueWhoseCallHasNotReturnedHoldsUpNoOther() {
        core.add(List.of(row(1, "a")));
        assertThat(core.next()).containsOnlyKeys("orders");
        core.accepted(1);
        core.add(List.of(row(2, "a"), row(9, "mail", "a")));
        assertThat(core.next()).containsOnlyKeys("mail");
        core.returned("orders");
        assertThat(core.next()).containsOnlyKeys("orders");
    }

    @Test
    void aRefusedRowHaltsItsKeyOnlyIfThatIsTheRule() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "a"), row(3, null)));
        assertThat(next()).containsExactly(1L, 3L);
        core.refused(1, "too large");
        core.refused(3, "too large");
        assertThat(next()).isEmpty();
        assertThat(core.takeSettled().refused()).containsOnlyKeys(1L, 3L);
        assertThat(core.held()).isZero();

        RelayCore skipping = new RelayCore(false);
        skipping.add(List.of(row(1, "a"), row(2, "a")));
        skipping.next();
        skipping.returned("orders");
        skipping.refused(1, "too large");
        assertThat(skipping.next().get("orders")).extracting(OutboxRow::id).containsExactly(2L);
    }

    @Test
    void rowsOfLostBucketsAreForgottenUnlessTheyAreOnTheirWay() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "a"), row(3, "b"), row(4, "b")));
        assertThat(next()).containsExactly(1L, 3L);
        assertThat(core.busyBuckets()).containsExactlyInAnyOrder(Outbox.bucketOf("a"), Outbox.bucketOf("b"));
        core.keepBuckets(Set.of(Outbox.bucketOf("b")));
        core.accepted(1);
        core.accepted(3);
        assertThat(next()).containsExactly(4L);
        core.accepted(4);
        assertThat(core.held()).isZero();
    }

    @Test
    void aHotKeyDoesNotFillTheMemory() {
        List<OutboxRow> rows =
                LongStream.range(0, 1_000).mapToObj(id -> row(id, "hot")).toList();
        core.add(rows);
        assertThat(core.held()).isEqualTo(RelayCore.LANE_ROWS);
        assertThat(core.exclusions(0).keys()).containsExactly(row(0, "hot").lane());
        assertThat(core.exclusions(0).queues()).isEmpty();
    }

    /** A table in memory, a broker that fails and answers late, and buckets that come and go. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void everyRowIsPublishedAndTheOrderOfKeysHolds(long seed) {
        Random random = new Random(seed);
        TreeMap<Long, OutboxRow> table = new TreeMap<>();
        for (long id = 1; id <= 2_000; id++) {
            String key = random.nextInt(5) == 0 ? null : "k" + random.nextInt(20);
            table.put(id, row(id, random.nextInt(4) == 0 ? "mail" : "orders", key));
        }
        Map<OutboxRow.Lane, Long> lastOf = new HashMap<>();
        List<OutboxRow> flying = new ArrayList<>();
        long now = 0;
        while (!table.isEmpty()) {
            now += random.nextInt(200);
            assertThat(now).as("time").isLessThan(100_000_000);
            core.takeSettled().published().forEach(table::remove);
            if (random.nextInt(20) == 0) {
                core.keepBuckets(Set.of(random.nextInt(Outbox.BUCKETS)));
            }
            core.add(read(table, core.exclusions(now)));
            core.next().forEach((queue, rows) -> {
                rows.forEach(row -> {
                    // Whatever is on its way, or was acknowledged, is older in each lane.
                    assertThat(lastOf.getOrDefault(row.lane(), 0L)).isLessThan(row.id());
                    assertThat(flying).extracting(OutboxRow::lane).doesNotContain(row.lane());
                    flying.add(row);
                });
                core.returned(queue);
            });
            for (int i = random.nextInt(60); i > 0 && !flying.isEmpty(); i--) {
                OutboxRow row = flying.remove(random.nextInt(flying.size()));
                switch (random.nextInt(12)) {
                    case 0 -> core.failed(row.id(), "away", now);
                    case 1 -> core.unsent(row.id());
                    default -> {
                        lastOf.put(row.lane(), row.id());
                        core.accepted(row.id());
                    }
                }
            }
        }
        assertThat(core.held()).isZero();
    }

    private static List<OutboxRow> read(TreeMap<Long, OutboxRow> table, RelayCore.Exclusions without) {
        return table.values().stream()
                .filter(row -> !without.queues().contains(row.task().queue()))
                .filter(row -> row.task().key() != null
                        ? !without.keys().contains(row.lane())
                        : !without.ids().contains(row.id()))
                .limit(100)
                .toList();
    }
}
