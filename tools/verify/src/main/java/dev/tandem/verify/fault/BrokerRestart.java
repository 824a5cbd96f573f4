package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/** The broker of the workload is restarted; Kafka by kill -9, whose log outlives it. */
record BrokerRestart(boolean rabbit) implements Fault {

    @Override
    public String name() {
        return rabbit ? "rabbit-restart" : "kafka-restart";
    }

    @Override
    public String about() {
        return rabbit ? "RabbitMQ is restarted" : "Kafka is killed and started again";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(Requirement.OWN_BROKER);
    }

    @Override
    public boolean suits(boolean toRabbit) {
        return rabbit == toRabbit;
    }

    @Override
    public Set<Server> servers() {
        return Set.of(Server.BROKER);
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        long at = System.nanoTime();
        stage.note(new Event.FaultBegan(at, name(), stage.round(), List.of()));
        stage.note(new Event.ServerDown(at, Server.BROKER));
        if (rabbit) {
            stage.broker().stop();
        } else {
            stage.broker().kill();
        }
        stage.broker().start();
        long end = System.nanoTime();
        stage.note(new Event.ServerUp(end, Server.BROKER));
        stage.note(new Event.FaultEnded(end, name(), stage.round(), -1));
        stage.sleep(stage.lease());
    }
}
