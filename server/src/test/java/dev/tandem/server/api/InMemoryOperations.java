package dev.tandem.server.api;

import dev.tandem.server.operations.Operation;
import dev.tandem.server.operations.OperationAdministration;
import dev.tandem.server.operations.OperationInfo;
import dev.tandem.server.operations.OperationProgress;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Keeps operations in memory, and runs none. */
final class InMemoryOperations implements OperationAdministration {

    final List<OperationInfo> known = new ArrayList<>();
    final List<String> stopped = new ArrayList<>();
    Begun begun = Begun.BEGUN;
    Stop stop = Stop.STOPPING;

    void reset() {
        known.clear();
        stopped.clear();
        begun = Begun.BEGUN;
        stop = Stop.STOPPING;
    }

    @Override
    public Begun begin(Operation operation) {
        if (begun == Begun.BEGUN) {
            known.add(new OperationInfo(
                    operation.queue(),
                    operation.id(),
                    operation,
                    OperationProgress.NONE,
                    Instant.parse("2026-11-20T10:00:00Z"),
                    null,
                    null));
        }
        return begun;
    }

    @Override
    public Stop stop(String queue, String id) {
        stopped.add(queue + "/" + id);
        return stop;
    }

    @Override
    public List<OperationInfo> all() {
        ApiTestBase.PLATFORM.check();
        return known;
    }
}
