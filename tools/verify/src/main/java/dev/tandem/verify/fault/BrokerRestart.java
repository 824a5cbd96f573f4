package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/** Restarts the broker of the workload. Kafka is killed with SIGKILL, since its log survives that. */
record BrokerRestart(boolean rabbit) implements BrokerFault {

    @Override
    public String name() {
        return rabbit ? "rabbit-restart" : "kafka-restart";
    }

    @Override
    public String description() {
        return rabbit ? "RabbitMQ is restarted" : "Kafka is killed and started again";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OWN_BROKER);
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of()));
        context.record(new Event.ServerDown(at, Server.BROKER));
        if (rabbit) {
            context.broker().stop();
        } else {
            context.broker().kill();
        }
        context.broker().start();
        long end = System.nanoTime();
        context.record(new Event.ServerUp(end, Server.BROKER));
        context.record(new Event.FaultEnded(end, name(), context.round(), -1));
        context.sleep(context.lease());
    }
}
