package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import java.time.Duration;
import java.util.List;

/**
 * Takes a service that handlers call away for two leases: every attempt fails at once, in all executors. Where enough attempts fail, starts
 * are slowed down. The fault has ended when they had time to speed up again.
 */
record HandlerOutage() implements Fault {

    /** Starts are doubled each second, from one a second. */
    private static final Duration SPEED_UP = Duration.ofSeconds(10);

    @Override
    public String name() {
        return "outage";
    }

    @Override
    public String description() {
        return "all attempts fail for two leases";
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of()));
        context.handlersFail(true);
        try {
            context.sleep(context.lease().multipliedBy(2));
        } finally {
            context.handlersFail(false);
        }
        context.sleep(SPEED_UP);
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        context.sleep(context.lease());
    }
}
