package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;

/** Kills the busiest executor with SIGKILL. A new one replaces it when all of its tasks have been started again. */
record ExecutorKill() implements Fault {

    @Override
    public String name() {
        return "kill";
    }

    @Override
    public String description() {
        return "an executor is killed with kill -9";
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        WorkerProcess victim = FaultTargets.busiestExecutor(context);
        Set<String> running = context.liveView().running(victim.name());
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of(victim.name())));
        context.killExecutor(victim);
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        FaultTargets.awaitTakenOver(context, running, at);
        context.startExecutor();
    }
}
