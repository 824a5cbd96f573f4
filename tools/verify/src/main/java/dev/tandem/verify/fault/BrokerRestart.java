package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Link;
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
    public Set<Need> needs() {
        return Set.of(Need.OWN_BROKER);
    }

    @Override
    public boolean suits(boolean toRabbit) {
        return rabbit == toRabbit;
    }

    @Override
    public Set<Link> servers() {
        return Set.of(Link.BROKER);
    }

    @Override
    public void strike(Stage stage) throws InterruptedException {
        long at = System.nanoTime();
        stage.note(new Event.Began(at, name(), stage.round(), List.of()));
        stage.note(new Event.Down(at, Link.BROKER));
        if (rabbit) {
            stage.broker().stop();
        } else {
            stage.broker().kill();
        }
        stage.broker().start();
        long end = System.nanoTime();
        stage.note(new Event.Up(end, Link.BROKER));
        stage.note(new Event.Ended(end, name(), stage.round(), -1));
        stage.sleep(stage.lease());
    }
}
