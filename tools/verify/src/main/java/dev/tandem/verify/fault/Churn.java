package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;

/** Replaces executors: every few seconds one leaves and another one joins, so partitions are revoked and assigned. */
record Churn() implements Fault {

    private static final int REPLACEMENTS = 3;
    private static final int MIN_PAUSE_MILLIS = 1_000;
    private static final int MAX_PAUSE_MILLIS = 4_000;
    private static final long JOIN_LIMIT_MILLIS = 30_000;

    @Override
    public String name() {
        return "churn";
    }

    @Override
    public String description() {
        return "an executor leaves and another one joins, every few seconds";
    }

    @Override
    public int endEventCount() {
        return REPLACEMENTS;
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        for (int i = 0; i < REPLACEMENTS; i++) {
            WorkerProcess victim = FaultTargets.busiestExecutor(context);
            String fault = name() + (i == 0 ? "" : "-" + (i + 1));
            context.record(new Event.FaultBegan(System.nanoTime(), fault, context.round(), List.of(victim.name())));
            context.stopExecutor(victim);
            context.record(new Event.FaultEnded(System.nanoTime(), fault, context.round(), -1));
            context.sleep(Duration.ofMillis(
                    MIN_PAUSE_MILLIS + context.random().nextInt(MAX_PAUSE_MILLIS - MIN_PAUSE_MILLIS)));
            WorkerProcess added = context.startExecutor();
            context.liveView().await(JOIN_LIMIT_MILLIS, live -> live.hasWorked(added.name()));
        }
    }
}
