package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import java.util.Set;

/**
 * Kills the busiest executor with SIGKILL. A new one replaces it.
 *
 * @param restarts whether the new one starts at once, on the same host, where the death is proven; otherwise when all tasks
 *     of the killed one have been started again
 */
record ExecutorKill(boolean restarts) implements Fault {

    @Override
    public String name() {
        return restarts ? "kill-restart" : "kill";
    }

    @Override
    public String description() {
        return restarts
                ? "an executor is killed with kill -9 and started again at once; others can see that its process is gone"
                : "an executor is killed with kill -9";
    }

    @Override
    public Set<Requirement> requirements() {
        return restarts ? Set.of(Requirement.DEATH_PROOF) : Set.of();
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        WorkerProcess victim = FaultTargets.busiestExecutor(context);
        Set<String> running = context.liveView().running(victim.name());
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of(victim.name())));
        context.killExecutor(victim);
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        if (restarts) {
            context.startExecutor();
        }
        FaultTargets.awaitTakenOver(context, running, at);
        if (!restarts) {
            context.startExecutor();
        }
    }
}
