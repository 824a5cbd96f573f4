package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import java.util.List;
import java.util.Set;

/** Kills one of the relays of an outbox with SIGKILL. Another one starts when its rows have been published. */
record RelayKill() implements Fault {

    @Override
    public String name() {
        return "relay-kill";
    }

    @Override
    public String description() {
        return "a relay of the outbox is killed with kill -9";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OUTBOX);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        long waiting = context.outbox().awaitWaiting();
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of()));
        context.outbox().killRelay();
        context.sleep(context.lease());
        context.outbox().awaitPublished(context.lease().multipliedBy(3).plusSeconds(60));
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), waiting));
        context.outbox().startRelay();
    }
}
