package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import java.util.List;
import java.util.Set;

/** Kills the PostgreSQL with the outbox and the effects of handlers, and starts it again. */
record PostgresRestart() implements Fault {

    @Override
    public String name() {
        return "postgres-restart";
    }

    @Override
    public String description() {
        return "the PostgreSQL with the outbox is killed and started again";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OUTBOX);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        context.outbox().awaitWaiting();
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of()));
        context.outbox().restartDatabase();
        context.outbox().awaitPublished(context.lease().multipliedBy(3).plusSeconds(60));
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), -1));
        context.sleep(context.lease());
    }
}
