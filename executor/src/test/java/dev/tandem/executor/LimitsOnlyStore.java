package dev.tandem.executor;

import dev.tandem.task.Partition;
import dev.tandem.task.store.LimitStore;
import dev.tandem.task.store.PermitAnswer;
import dev.tandem.task.store.PermitRequest;
import dev.tandem.task.store.RateAnswer;
import dev.tandem.task.store.RateRequest;
import dev.tandem.task.store.Store;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A store of a test of limits. It has nothing else, and of these what the test overrides. */
abstract class LimitsOnlyStore implements Store, LimitStore {

    @Override
    public LimitStore limits() {
        return this;
    }

    @Override
    public CompletionStage<PermitAnswer> permits(PermitRequest request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<List<RateAnswer>> tokens(String limit, List<RateRequest> requests) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Link link(Partition partition, Listener listener) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
