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
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RelayCoreTest {

    private static final long GRACE = 60_000;

    private final RelayCore core = new RelayCore(true, GRACE);

    private static OutboxRow row(long id, String key) {
        return row(id, "orders", key);
    }

    private static OutboxRow.Version version(long id) {
        return new OutboxRow.Version(id, new UUID(0, id), 0);
    }

    private static OutboxRow row(long id, String queue, String key) {
        return row(id, queue, key, 0);
    }

    private static OutboxRow row(long id, String queue, String key, long unfitFor) {
        TaskRequest<Object> task = new TaskRequest<>(queue, "ship", key, new byte[0], TaskOptions.id("t" + id));
        return new OutboxRow(version(id), Outbox.bucketOf(key == null ? "t" + id : key), task, 100, unfitFor, null);
    }

    /** Publishes one row, so that the broker counts as reachable. */
    private void reachBroker() {
        core.add(List.of(row(-1, "first")));
        assertThat(next()).containsExactly(-1L);
        core.accepted(version(-1));
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
        core.accepted(version(3));
        assertThat(next()).isEmpty();
        core.accepted(version(1));
        assertThat(next()).containsExactly(2L);
        assertThat(core.takeSettled().published()).containsExactly(version(3), version(1));
    }

    @Test
    void oneRowIsTriedUntilTheBrokerIsKnownToBeReachable() {
        core.add(List.of(row(1, "a"), row(2, "b"), row(3, "c")));
        assertThat(next()).containsExactly(1L);
        assertThat(next()).isEmpty();
        core.accepted(version(1));
        assertThat(next()).containsExactly(2L, 3L);
    }

    @Test
    void aFailureBlocksItsKeyAndTheOthersGoOn() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "a"), row(3, "b"), row(4, "b")));
        assertThat(next()).containsExactly(1L, 3L);
        core.failed(version(1), "no leader", 1_000);
        core.accepted(version(3));
        assertThat(next()).containsExactly(4L);
        assertThat(core.takeSettled().failed()).containsEntry(version(1), "no leader");
        assertThat(core.exclusions(1_999).keys()).contains(row(1, "a").lane());
        assertThat(core.exclusions(2_000).keys()).doesNotContain(row(1, "a").lane());
    }

    @Test
    void aQueueOfWhichAllFailsWaitsAndAnotherQueueGoesOn() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "b"), row(3, "c"), row(9, "mail", "a")));
        assertThat(next()).containsExactlyInAnyOrder(1L, 2L, 3L, 9L);
        core.failed(version(1), "away", 0);
        core.failed(version(2), "away", 0);
        core.failed(version(3), "away", 0);
        assertThat(core.exclusions(999).queues()).containsExactly("orders");
        core.accepted(version(9));
        assertThat(core.exclusions(1_000).queues()).isEmpty();
        // Then one row at a time.
        core.add(List.of(row(4, "d"), row(5, "e")));
        assertThat(next()).containsExactly(4L);
    }

    @Test
    void aQueueWhoseCallHasNotReturnedHoldsUpNoOther() {
        core.add(List.of(row(1, "a")));
        assertThat(core.next()).containsOnlyKeys("orders");
        core.accepted(version(1));
        core.add(List.of(row(2, "a"), row(9, "mail", "a")));
        assertThat(core.next()).containsOnlyKeys("mail");
        core.returned("orders");
        assertThat(core.next()).containsOnlyKeys("orders");
    }

    @Test
    void aRefusedRowHaltsItsKeyOnlyIfThatIsTheRule() {
        reachBroker();
        core.add(List.of(row(1, "orders", "a", GRACE), row(2, "a"), row(3, "orders", null, GRACE)));
        assertThat(next()).containsExactly(1L, 3L);
        core.unfit(version(1), "too large", GRACE);
        core.unfit(version(3), "too large", GRACE);
        assertThat(next()).isEmpty();
        assertThat(core.takeSettled().refused()).containsOnlyKeys(version(1), version(3));
        assertThat(core.held()).isZero();

        RelayCore skipping = new RelayCore(false, GRACE);
        skipping.add(List.of(row(1, "orders", "a", GRACE), row(2, "a")));
        skipping.next();
        skipping.returned("orders");
        skipping.unfit(version(1), "too large", GRACE);
        assertThat(skipping.next().get("orders")).extracting(OutboxRow::id).containsExactly(2L);
    }

    @Test
    void aRowThatTheClientCannotPublishIsTriedAgainUntilTheGraceIsOver() {
        for (RelayCore each : List.of(core, new RelayCore(false, GRACE))) {
            each.add(List.of(row(1, "orders", "a", GRACE - 1), row(2, "a"), row(3, "b")));
            assertThat(each.next().get("orders")).extracting(OutboxRow::id).containsExactly(1L);
            each.returned("orders");
            assertThat(each.unfit(version(1), "no such queue", 1_000)).isEqualTo(Outbox.bucketOf("a"));
            assertThat(each.takeSettled().unfit()).containsEntry(version(1), "no such queue");
            // Its key waits, even where keys go on without refused rows, and the queue goes on.
            assertThat(each.exclusions(1_999).keys()).contains(row(1, "a").lane());
            assertThat(each.exclusions(1_999).queues()).isEmpty();
            assertThat(each.next().get("orders")).extracting(OutboxRow::id).containsExactly(3L);
            each.returned("orders");
            each.accepted(version(3));
            each.takeSettled();
            each.add(List.of(row(1, "orders", "a", GRACE)));
            each.next();
            each.returned("orders");
            assertThat(each.unfit(version(1), "no such queue", 61_000)).isEqualTo(-1);
            assertThat(each.takeSettled().refused()).containsOnlyKeys(version(1));
        }
    }

    @Test
    void anotherRowWithTheSameIdIsAnotherRow() {
        reachBroker();
        core.add(List.of(row(1, "a")));
        assertThat(next()).containsExactly(1L);
        OutboxRow.Version later = new OutboxRow.Version(1, new UUID(7, 7), 0);
        OutboxRow other = row(1, "b");
        core.add(List.of(new OutboxRow(later, other.bucket(), other.task(), 100, 0, null)));
        assertThat(next()).containsExactly(1L);
        core.accepted(version(1));
        assertThat(core.takeSettled().published()).containsExactly(version(1));
        assertThat(core.busyBuckets()).containsExactly(other.bucket());
        core.accepted(later);
        assertThat(core.takeSettled().published()).containsExactly(later);
        assertThat(core.held()).isZero();
    }

    @Test
    void rowsOfLostBucketsAreForgottenUnlessTheyAreOnTheirWay() {
        reachBroker();
        core.add(List.of(row(1, "a"), row(2, "a"), row(3, "b"), row(4, "b")));
        assertThat(next()).containsExactly(1L, 3L);
        assertThat(core.busyBuckets()).containsExactlyInAnyOrder(Outbox.bucketOf("a"), Outbox.bucketOf("b"));
        core.keepBuckets(Set.of(Outbox.bucketOf("b")));
        core.accepted(version(1));
        core.accepted(version(3));
        assertThat(next()).containsExactly(4L);
        core.accepted(version(4));
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
            core.takeSettled().published().forEach(each -> table.remove(each.id()));
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
                    case 0 -> core.failed(row.version(), "away", now);
                    case 1 -> core.unsent(row.version());
                    default -> {
                        lastOf.put(row.lane(), row.id());
                        core.accepted(row.version());
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
