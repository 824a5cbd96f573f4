package dev.tandem.verify.fault;

import dev.tandem.local.LocalBroker;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/**
 * Makes Kafka's writes to its log folder fail, as a full disk does. Kafka gives up the folder and, since it has no
 * other, shuts down. It is started when writes work again. See {@link FileSizeLimit}.
 */
record KafkaDiskFull() implements BrokerFault {

    @Override
    public String name() {
        return "kafka-disk-full";
    }

    @Override
    public String description() {
        return "Kafka cannot write to its disk, shuts down, and is started again when there is room";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.OWN_BROKER, Requirement.FILE_LIMITS);
    }

    @Override
    public boolean rabbit() {
        return false;
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        LocalBroker kafka = context.broker();
        long at = System.nanoTime();
        context.record(new Event.FaultBegan(at, name(), context.round(), List.of()));
        context.record(new Event.ServerDown(at, Server.BROKER));
        FileSizeLimit.block(kafka.pid());
        context.sleep(context.lease().dividedBy(2));
        boolean ended = !kafka.isRunning();
        kafka.kill(); // if it is still running, it would not use the folder again
        kafka.start();
        long end = System.nanoTime();
        context.record(new Event.ServerUp(end, Server.BROKER));
        context.record(new Event.FaultEnded(end, name(), context.round(), ended ? 1 : 0));
        context.sleep(context.lease());
    }
}
