package dev.tandem.task.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import java.util.Collection;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The model obeys the protocol, and its data contradicts itself after no request. */
class StoreModelTest extends StoreConformance {

    private static final Partition PARTITION = Partition.of("q", 0);

    private final StoreModel store = new StoreModel("run-1");
    private long now = 1_790_000_000_000L;

    @Override
    protected Partition freshPartition() {
        return PARTITION;
    }

    @Override
    protected StoreAnswer ask(StoreRequest request) {
        return store.apply(request, now);
    }

    @Override
    protected long now() {
        return now;
    }

    @Override
    protected void pass(long millis) {
        now += millis;
    }

    @Override
    protected Collection<BlockedKey> blockedKeys(Partition of) {
        return store.partition(of).blocked();
    }

    @Override
    protected void restarted(Partition restarted) {
        store.restarted(store.runId() + "'");
    }

    @AfterEach
    void dataIsConsistent() {
        assertThat(store.partition(PARTITION).faults()).isEmpty();
    }

    @Test
    void aRestoredSnapshotForgetsLaterRequests() {
        first().acquire();
        first().blockKey("k", new Position("1"), 0);
        StoreModel.Snapshot snapshot = store.snapshot();
        first().takeCustody(OwnerClient.park(new Position("2"), "k", 2));
        store.restore(snapshot);
        assertThat(store.partition(PARTITION).lane("k")).isEmpty();
        assertThat(store.partition(PARTITION).inStore()).containsExactly(new Position("1"));
        assertThat(ask(new StoreRequest.Release(first().header()))).isEqualTo(new StoreAnswer.Gap(3));
    }

    @Test
    void redeliveryHistoryIsForgottenAfterAQuarterOfAnHour() {
        owner().acquire();
        Position inPage = new Position("mAAAAAAAAAAAA:w.1");
        Position awaited = new Position("cBBBBBBBBBBBB:w.2");
        owner().succeed(inPage, owner().claim(inPage, null), null, 0);
        owner().succeed(awaited, owner().claim(awaited, null), null, SettledMark.AWAITS_REDELIVERY);
        pass(ModelRedeliveries.KEPT_MILLIS - 1);
        assertThat(owner().acquire().history().awaitingRedelivery()).containsExactly(awaited);
        assertThat(owner().acquire().history().pages()).hasSize(1);
        pass(1);
        assertThat(owner().acquire().history()).isEqualTo(StoreAnswer.RedeliveryHistory.NONE);
    }
}
