package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerOrders.FreezePoint;
import dev.tandem.verify.worker.WorkerProcess;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * SIGSTOP of an executor for twice the lease, then SIGCONT: it wakes up and knows nothing of it.
 *
 * @param moment null: while its handlers run
 */
record ExecutorFreeze(@Nullable FreezePoint moment) implements Fault {

    private static final long ORDER_MILLIS = 5_000;

    @Override
    public String name() {
        return moment == null ? "freeze" : "freeze-" + moment.text();
    }

    @Override
    public String about() {
        return "an executor is stopped for twice its lease, "
                + (moment == null
                        ? "while its handlers run"
                        : moment == FreezePoint.SETTLE ? "before it settles an outcome" : "before it commits");
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        WorkerProcess victim = FaultCatalog.busiest(stage);
        if (moment == null) {
            stage.note(new Event.FaultBegan(System.nanoTime(), name(), stage.round(), List.of(victim.name())));
            victim.freeze();
        } else {
            victim.freezeAt(moment);
            boolean frozen = stage.live().await(ORDER_MILLIS, live -> live.hasFrozen(victim.name()));
            // What it ran when it stopped itself, a moment ago, it runs still.
            stage.note(new Event.FaultBegan(System.nanoTime(), name(), stage.round(), List.of(victim.name())));
            if (!frozen) {
                victim.forgetFreeze();
                stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), 0));
                return;
            }
        }
        stage.sleep(stage.lease().multipliedBy(2));
        victim.thaw();
        stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), -1));
        stage.sleep(stage.lease().dividedBy(2));
    }
}
