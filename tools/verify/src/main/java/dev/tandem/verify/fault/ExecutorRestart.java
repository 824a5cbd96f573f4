package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;

/** Kills the busiest executor with SIGKILL, and starts another one on the same host at once. The death is proven there. */
record ExecutorRestart() implements Fault {

    @Override
    public String name() {
        return "kill-restart";
    }

    @Override
    public String description() {
        return "an executor is killed with kill -9 and started again at once; others can see that its process is gone";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.DEATH_PROOF);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        WorkerProcess victim = FaultTargets.busiestExecutor(context);
        Set<String> running = context.liveView().running(victim.name());
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of(victim.name())));
        context.killExecutor(victim);
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        context.startExecutor();
        FaultTargets.awaitTakenOver(context, running, at);
    }
}
