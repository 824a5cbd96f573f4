package com.example.plain;

import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient;
import dev.tandem.rabbit.RabbitSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Submits 30 tasks of three customers, and waits until the broker has all of them.
 *
 * <pre>usage: SubmitParcels [BROKER [QUEUE]]</pre>
 *
 * <p>The broker is {@code host:port} of Kafka, or the {@code amqp:} address of RabbitMQ.
 */
public final class SubmitParcels {

    private static final int TASKS = 30;

    private SubmitParcels() {}

    public static void main(String[] arguments) throws InterruptedException {
        String broker = arguments.length > 0 ? arguments[0] : "127.0.0.1:9092";
        String queue = arguments.length > 1 ? arguments[1] : ShipParcels.QUEUE;
        try (TaskClient client = client(broker, queue)) {
            List<TaskRef<?>> refs = new ArrayList<>();
            for (int i = 0; i < TASKS; i++) {
                refs.add(client.submit(
                        TaskRequest.of(queue, "ship", new Ship("o-" + i, 1)).withKey("c-" + i % 3)));
            }
            for (TaskRef<?> ref : refs) {
                ref.await(Duration.ofSeconds(30));
            }
        }
        System.out.println("Submitted " + TASKS + " tasks to " + queue);
    }

    private static TaskClient client(String broker, String queue) {
        return broker.startsWith("amqp")
                ? TandemClient.builder()
                        .queue(RabbitSettings.of(broker, queue).orderedByHeader())
                        .build()
                : TandemClient.builder().kafka(broker, queue).build();
    }
}
