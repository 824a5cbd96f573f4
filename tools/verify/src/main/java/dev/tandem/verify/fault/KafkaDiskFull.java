package dev.tandem.verify.fault;

import dev.tandem.local.LocalBroker;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/**
 * Kafka can't write to its log folder, as when its disk is full: it gives the folder up and, since it is its only one, ends
 * by itself. When there is room again it is started. See {@link FileSizeLimit}.
 */
record KafkaDiskFull() implements Fault {

    @Override
    public String name() {
        return "kafka-disk-full";
    }

    @Override
    public String about() {
        return "Kafka can't write to its disk, ends, and is started when there is room";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(Requirement.OWN_BROKER, Requirement.FILE_LIMITS);
    }

    @Override
    public Set<Server> servers() {
        return Set.of(Server.BROKER);
    }

    @Override
    public boolean suits(boolean rabbit) {
        return !rabbit;
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        LocalBroker kafka = stage.broker();
        long at = System.nanoTime();
        stage.note(new Event.FaultBegan(at, name(), stage.round(), List.of()));
        stage.note(new Event.ServerDown(at, Server.BROKER));
        FileSizeLimit.full(kafka.pid());
        stage.sleep(stage.lease().dividedBy(2));
        boolean ended = !kafka.isRunning();
        kafka.kill(); // one that stayed would not use the folder again
        kafka.start();
        long end = System.nanoTime();
        stage.note(new Event.ServerUp(end, Server.BROKER));
        stage.note(new Event.FaultEnded(end, name(), stage.round(), ended ? 1 : 0));
        stage.sleep(stage.lease());
    }
}
