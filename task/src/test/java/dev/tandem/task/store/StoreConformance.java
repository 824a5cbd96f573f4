package dev.tandem.task.store;

import dev.tandem.task.Partition;
import dev.tandem.task.store.StoreAnswer.BlockedKey;
import java.util.Collection;
import org.junit.jupiter.api.BeforeEach;

/**
 * The rules of {@code docs/store-protocol.md}, one test for each. Every store runs them: a test class extends this one
 * and says how to reach its store.
 *
 * <p>Leases are either so long that they never end in a test ({@link OwnerClient#LONG}) or so short that waiting for
 * their end costs little ({@link StoreFixture#SHORT}). No test depends on how long anything takes.
 */
public abstract class StoreConformance
        implements RequestNumberConformance,
                AcquireConformance,
                PresentedClaimConformance,
                SettleConformance,
                RelayConformance,
                ClaimConformance,
                TakeCustodyConformance,
                TenantLinesConformance,
                ClaimDueConformance,
                LeaseConformance,
                CommitAndReleaseConformance,
                FormerOwnerConformance,
                RedeliveryHistoryConformance,
                ForwardRedeliveriesConformance,
                RunNotesConformance {

    private Partition partition = Partition.of("q", 0);
    private OwnerClient first = client("a");
    private OwnerClient second = client("b");
    private OwnerClient owner = client("a");
    private OwnerClient successor = client("b");

    /** Returns a partition of the queue {@code q} that the store knows nothing of. */
    protected abstract Partition freshPartition();

    /** Sends a request and waits for the answer. */
    protected abstract StoreAnswer ask(StoreRequest request);

    /** Returns the store's own time in epoch milliseconds. */
    protected abstract long now();

    /** Returns when at least this much of the store's time has passed. */
    protected abstract void pass(long millis);

    /** Returns all blocked keys of a partition. */
    protected abstract Collection<BlockedKey> blockedKeys(Partition of);

    /** Makes the store's run id differ from the one that the partition's owner knows, as a restart does. */
    protected abstract void restarted(Partition restarted);

    @BeforeEach
    void createClients() {
        partition = freshPartition();
        first = client("a");
        second = client("b");
        owner = client("a");
        owner.ofQueue = true;
        successor = client("b");
        successor.ofQueue = true;
        successor.generation = 2;
    }

    private OwnerClient client(String executor) {
        return new OwnerClient(partition, executor, this::ask, () -> blockedKeys(partition));
    }

    @Override
    public final Partition partition() {
        return partition;
    }

    @Override
    public final OwnerClient first() {
        return first;
    }

    @Override
    public final OwnerClient second() {
        return second;
    }

    @Override
    public final OwnerClient owner() {
        return owner;
    }

    @Override
    public final OwnerClient successor() {
        return successor;
    }

    @Override
    public final StoreAnswer answerTo(StoreRequest request) {
        return ask(request);
    }

    @Override
    public final long storeTime() {
        return now();
    }

    @Override
    public final void letTimePass(long millis) {
        pass(millis);
    }

    @Override
    public final void restartStore() {
        restarted(partition);
    }
}
