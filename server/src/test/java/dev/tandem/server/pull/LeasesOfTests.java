package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeaseName;
import dev.tandem.executor.pull.LeaseRequest;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.executor.pull.TaskLeases;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** The leases of an executor that has as many tasks as are asked for, one a call. */
final class LeasesOfTests implements TaskLeases {

    private final String executor;
    private final AtomicLong lastToken = new AtomicLong();

    final List<LeaseName> handedOut = new CopyOnWriteArrayList<>();
    final List<LeaseName> givenBack = new CopyOnWriteArrayList<>();
    final List<LeaseRequest> applied = new CopyOnWriteArrayList<>();

    /** The answer to what workers say. */
    volatile CompletableFuture<LeaseAnswer> answer = CompletableFuture.completedFuture(LeaseAnswer.done());

    LeasesOfTests(String executor) {
        this.executor = executor;
    }

    @Override
    public CompletableFuture<List<LeasedTask>> lease(LeaseCall call) {
        long token = lastToken.incrementAndGet();
        LeaseName name = new LeaseName("0", token, token, executor);
        handedOut.add(name);
        return CompletableFuture.completedFuture(List.of(new LeasedTask(
                name, 30_000, "t-" + token, "0/1:" + token, "pull", "k", null, 1, 8, 0, Map.of(), new byte[0])));
    }

    @Override
    public void giveBack(Collection<LeaseName> leases) {
        givenBack.addAll(leases);
    }

    @Override
    public CompletableFuture<LeaseAnswer> apply(LeaseName lease, LeaseRequest request) {
        applied.add(request);
        return answer;
    }

    @Override
    public void whenStartable(Runnable listener) {}

    @Override
    public Status status() {
        return new Status(0, 0, 0, 1, 0);
    }
}
