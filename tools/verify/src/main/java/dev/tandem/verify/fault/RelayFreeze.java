package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import java.util.List;
import java.util.Set;

/** Stops one of the relays of an outbox for two leases. When it wakes up, others have its keys. */
record RelayFreeze() implements Fault {

    @Override
    public String name() {
        return "relay-freeze";
    }

    @Override
    public String description() {
        return "a relay of the outbox is stopped for two leases";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OUTBOX);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        long waiting = context.outbox().awaitWaiting();
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of()));
        context.outbox().freezeRelay(context.lease().multipliedBy(2));
        context.outbox().awaitPublished(context.lease().multipliedBy(3).plusSeconds(60));
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), waiting));
    }
}
