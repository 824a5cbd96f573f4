package dev.tandem.verify.fault;

import dev.tandem.local.LocalAmqp;
import dev.tandem.verify.record.Event;
import java.util.List;
import java.util.Set;

/**
 * Triggers RabbitMQ's disk alarm by setting its limit of free space above the size of any disk. RabbitMQ then reads
 * nothing from connections that publish. Consumers and acks are not affected.
 */
record RabbitDiskAlarm() implements BrokerFault {

    private static final String MORE_THAN_ANY_DISK = "1000000000000000";
    private static final String DEFAULT_LIMIT = "50MB";

    @Override
    public String name() {
        return "rabbit-disk-alarm";
    }

    @Override
    public String description() {
        return "RabbitMQ's disk alarm is triggered, so that it blocks publishers";
    }

    @Override
    public Set<Requirement> requirements() {
        return Set.of(Requirement.RABBITMQ);
    }

    @Override
    public boolean rabbit() {
        return true;
    }

    @Override
    public void inject(FaultContext context) throws InterruptedException {
        if (!(context.broker() instanceof LocalAmqp rabbit)) {
            throw new IllegalStateException(context.broker() + " is not a RabbitMQ");
        }
        context.record(new Event.FaultBegan(System.nanoTime(), name(), context.round(), List.of()));
        long blocked;
        rabbit.control("set_disk_free_limit", MORE_THAN_ANY_DISK);
        try {
            context.sleep(context.lease().dividedBy(2));
            blocked = rabbit.control("-q", "list_connections", "state")
                    .lines()
                    .filter("blocked"::equals)
                    .count();
        } finally {
            rabbit.control("set_disk_free_limit", DEFAULT_LIMIT);
        }
        context.record(new Event.FaultEnded(System.nanoTime(), name(), context.round(), blocked));
        context.sleep(context.lease());
    }
}
