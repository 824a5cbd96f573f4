package dev.tandem.verify.fault;

import dev.tandem.local.LocalAmqp;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.Event.Server;
import java.util.List;
import java.util.Set;

/**
 * RabbitMQ's alarm of a disk that is nearly full: its limit is set above what any disk has, so that it reads nothing more
 * from connections that publish. Who consumes and acks goes on.
 */
record RabbitDiskAlarm() implements Fault {

    private static final String TOO_MUCH = "1000000000000000";
    private static final String USUAL = "50MB";

    @Override
    public String name() {
        return "rabbit-disk-alarm";
    }

    @Override
    public String about() {
        return "RabbitMQ's disk alarm: it blocks those that publish";
    }

    @Override
    public Set<Requirement> needs() {
        return Set.of(Requirement.RABBITMQ);
    }

    @Override
    public Set<Server> servers() {
        return Set.of(Server.BROKER);
    }

    @Override
    public boolean suits(boolean toRabbit) {
        return toRabbit;
    }

    @Override
    public void strike(FaultContext stage) throws InterruptedException {
        if (!(stage.broker() instanceof LocalAmqp rabbit)) {
            throw new IllegalStateException(stage.broker() + " is no RabbitMQ");
        }
        stage.note(new Event.FaultBegan(System.nanoTime(), name(), stage.round(), List.of()));
        long blocked;
        rabbit.control("set_disk_free_limit", TOO_MUCH);
        try {
            stage.sleep(stage.lease().dividedBy(2));
            blocked = rabbit.control("-q", "list_connections", "state")
                    .lines()
                    .filter("blocked"::equals)
                    .count();
        } finally {
            rabbit.control("set_disk_free_limit", USUAL);
        }
        stage.note(new Event.FaultEnded(System.nanoTime(), name(), stage.round(), blocked));
        stage.sleep(stage.lease());
    }
}
