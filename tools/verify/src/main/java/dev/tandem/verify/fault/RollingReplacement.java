package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;

/** Replaces all executors one after another: a new one is started, and when it works, an old one leaves. */
record RollingReplacement() implements Fault {

    private static final long JOIN_LIMIT_MILLIS = 30_000;
    private static final Duration PAUSE = Duration.ofSeconds(2);

    @Override
    public String name() {
        return "rolling";
    }

    @Override
    public String description() {
        return "all executors are replaced, one after another";
    }

    @Override
    public int endEventCount() {
        return Integer.MAX_VALUE;
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        List<WorkerProcess> old = context.executors();
        for (int i = 0; i < old.size(); i++) {
            WorkerProcess added = context.startExecutor();
            context.liveView().await(JOIN_LIMIT_MILLIS, live -> live.hasWorked(added.name()));
            context.sleep(PAUSE);
            WorkerProcess leaving = old.get(i);
            String fault = name() + (i == 0 ? "" : "-" + (i + 1));
            context.liveView().await(JOIN_LIMIT_MILLIS, live -> live.newLongRuns(leaving.name()) > 0);
            context.record(new Event.FaultBegan(System.nanoTime(), fault, context.round(), List.of(leaving.name())));
            context.stopExecutor(leaving);
            context.record(new Event.FaultEnded(System.nanoTime(), fault, context.round(), -1));
        }
        context.sleep(PAUSE);
    }
}
