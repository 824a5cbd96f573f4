package dev.tandem.verify.fault;

import dev.tandem.verify.record.Event.Server;
import java.util.Set;

/** A fault of one kind of broker: of RabbitMQ, or of Kafka. */
sealed interface BrokerFault extends Fault permits BrokerRestart, KafkaDiskFull, RabbitDiskAlarm, RabbitClusterFault {

    /** Returns whether the fault is one of RabbitMQ; otherwise it is one of Kafka. */
    boolean rabbit();

    @Override
    default Set<Server> serversTakenDown() {
        return Set.of(Server.BROKER);
    }

    @Override
    default boolean supports(boolean toRabbit) {
        return rabbit() == toRabbit;
    }
}
