package dev.tandem.server.api;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeasedTask;
import dev.tandem.server.pull.LeaseOrder;
import dev.tandem.server.pull.PulledTasks;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Tasks for pull workers, as a test puts them here. */
final class InMemoryPulledTasks implements PulledTasks {

    final List<LeaseCall> calls = new CopyOnWriteArrayList<>();
    final List<LeaseOrder> orders = new CopyOnWriteArrayList<>();
    volatile CompletableFuture<List<LeasedTask>> leased = CompletableFuture.completedFuture(List.of());
    volatile Function<LeaseOrder, LeaseAnswer> answers = order -> LeaseAnswer.done();

    void reset() {
        calls.clear();
        orders.clear();
        leased = CompletableFuture.completedFuture(List.of());
        answers = order -> LeaseAnswer.done();
    }

    @Override
    public CompletableFuture<List<LeasedTask>> lease(String queue, LeaseCall call) {
        calls.add(call);
        return leased;
    }

    @Override
    public CompletableFuture<List<LeaseAnswer>> apply(String caller, String queue, List<LeaseOrder> these) {
        orders.addAll(these);
        return CompletableFuture.completedFuture(these.stream().map(answers).toList());
    }
}
