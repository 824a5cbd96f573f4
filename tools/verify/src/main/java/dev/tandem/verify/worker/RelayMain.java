package dev.tandem.verify.worker;

import dev.tandem.api.TaskClient;
import dev.tandem.client.TandemClient;
import dev.tandem.client.TandemClientBuilder;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.outbox.OutboxRelay;
import dev.tandem.outbox.RelaySettings;
import dev.tandem.rabbit.RabbitSettings;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.postgresql.ds.PGSimpleDataSource;

/** A relay of an outbox in a process of its own, which can be killed and frozen. */
public final class RelayMain {

    private RelayMain() {}

    /** @param arguments the database's URL, the broker's address, the queue, its partitions, the lease in milliseconds */
    public static void main(String[] arguments) throws InterruptedException {
        PGSimpleDataSource database = new PGSimpleDataSource();
        database.setUrl(arguments[0]);
        String broker = arguments[1];
        String queue = arguments[2];
        int partitions = Integer.parseInt(arguments[3]);
        Duration lease = Duration.ofMillis(Long.parseLong(arguments[4]));
        TandemClientBuilder builder = TandemClient.builder();
        if (broker.startsWith("amqp")) {
            builder.queue(RabbitSettings.of(broker, queue).orderedByHeader().withPartitions(partitions));
        } else {
            builder.queue(KafkaSettings.of(broker, queue));
        }
        TaskClient client = builder.build();
        OutboxRelay relay = OutboxRelay.start(database, client, RelaySettings.DEFAULT.withLease(lease));
        while (true) {
            // For reading the log after a failure.
            TimeUnit.SECONDS.sleep(5);
            System.out.println(relay.status());
        }
    }
}
