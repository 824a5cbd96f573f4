package dev.tandem.verify.fault;

import dev.tandem.verify.worker.WorkerProcess;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Chooses the executor that a fault hits, and waits until others have taken over its tasks. */
final class FaultTargets {

    private static final long LONG_RUN_LIMIT_MILLIS = 5_000;

    private FaultTargets() {}

    /** Returns the executor with the most runs, as soon as some executor has just started runs that take a while. */
    static WorkerProcess busiestExecutor(FaultContext context) throws InterruptedException {
        List<WorkerProcess> executors = context.executors();
        context.liveView()
                .await(
                        LONG_RUN_LIMIT_MILLIS,
                        live -> executors.stream().anyMatch(executor -> live.newLongRuns(executor.name()) > 0));
        return executors.stream()
                .max(Comparator.comparingLong(
                                (WorkerProcess executor) -> context.liveView().newLongRuns(executor.name()))
                        .thenComparingInt(executor ->
                                context.liveView().running(executor.name()).size()))
                .orElseThrow(() -> new IllegalStateException("No executor is running"));
    }

    /** Waits until these tasks have been started again, for a limited time. The checker reports those that were not. */
    static void awaitTakenOver(FaultContext context, Set<String> ids, long since) throws InterruptedException {
        long limit = context.lease().multipliedBy(2).plusSeconds(20).toMillis();
        context.liveView().await(limit, live -> live.haveStartedSince(ids, since));
    }
}
