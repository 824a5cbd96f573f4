package dev.tandem.server.pull;

import dev.tandem.executor.pull.LeaseAnswer;
import dev.tandem.executor.pull.LeaseCall;
import dev.tandem.executor.pull.LeasedTask;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Port: the tasks that pull workers can lease, whichever executors have them. Thread-safe; no method blocks. */
public interface PulledTasks {

    /**
     * Leases tasks of any partitions.
     *
     * @return may be cancelled by a caller that does not want them any more. Fails with
     *     {@link dev.tandem.executor.pull.TaskLeases.StoppedException} if this server stops
     */
    CompletableFuture<List<LeasedTask>> lease(String queue, LeaseCall call);

    /**
     * Carries out what a worker says.
     *
     * @param caller whose request it is
     * @return an answer to each, in order. Does not fail, and takes some seconds at most
     */
    CompletableFuture<List<LeaseAnswer>> apply(String caller, String queue, List<LeaseOrder> orders);
}
