package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.worker.WorkerProcess;
import java.time.Duration;
import java.util.List;

/**
 * Sets the wall clock of one executor back by an hour, for two leases. Only the clock of the executor's core is set,
 * not that of the machine, which brokers and client libraries see.
 */
record ClockSetBack() implements Fault {

    private static final Duration BACK = Duration.ofHours(-1);
    private static final long SET_LIMIT_MILLIS = 5_000;

    @Override
    public String name() {
        return "clock-back";
    }

    @Override
    public String description() {
        return "the clock of an executor is set back by an hour for two leases";
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        WorkerProcess victim = FaultTargets.busiestExecutor(context);
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of(victim.name())));
        boolean set = set(context, victim, BACK);
        if (set) {
            context.sleep(context.lease().multipliedBy(2));
        }
        // Even if it was not set in time: a frozen executor may still follow the order later.
        set &= set(context, victim, Duration.ZERO);
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), set ? -1 : 0));
        context.sleep(context.lease());
    }

    private static boolean set(FaultContext context, WorkerProcess victim, Duration ahead) throws InterruptedException {
        victim.setClock(ahead);
        return context.liveView().await(SET_LIMIT_MILLIS, live -> live.clockAhead(victim.name()) == ahead.toMillis());
    }
}
