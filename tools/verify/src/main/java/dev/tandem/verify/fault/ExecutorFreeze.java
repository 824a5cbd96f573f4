package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerOrders.FreezePoint;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Stops an executor with SIGSTOP for twice its lease, then lets it continue unaware of the pause.
 *
 * @param point where the executor freezes itself; null to freeze it from outside while its handlers run
 */
record ExecutorFreeze(@Nullable FreezePoint point) implements Fault {

    private static final long FREEZE_LIMIT_MILLIS = 15_000;

    @Override
    public String name() {
        return point == null ? "freeze" : "freeze-" + point.text();
    }

    @Override
    public String description() {
        return "an executor is frozen for twice its lease, "
                + (point == null
                        ? "while its handlers run"
                        : point == FreezePoint.SETTLE ? "before it settles an outcome" : "before it commits");
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        WorkerProcess victim = FaultTargets.busiestExecutor(context);
        if (point == null) {
            context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of(victim.name())));
            victim.freeze();
        } else {
            victim.freezeAt(point);
            boolean frozen = context.liveView().await(FREEZE_LIMIT_MILLIS, live -> live.hasFrozen(victim.name()));
            // Recorded late, but its runs have not changed since it froze.
            context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of(victim.name())));
            if (!frozen) {
                victim.cancelFreeze();
                context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), 0));
                return;
            }
        }
        context.sleep(context.lease().multipliedBy(2));
        victim.thaw();
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        context.sleep(context.lease().dividedBy(2));
    }
}
