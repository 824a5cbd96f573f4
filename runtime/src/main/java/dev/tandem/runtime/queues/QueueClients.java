package dev.tandem.runtime.queues;

import dev.tandem.client.TandemClient;
import dev.tandem.client.TandemClientBuilder;
import dev.tandem.runtime.settings.TandemSettings;

/** Makes clients that submit tasks to the queues of the settings. */
public final class QueueClients {

    private QueueClients() {}

    /** Returns a builder of a client that has all queues of these settings. */
    public static TandemClientBuilder builder(TandemSettings settings) {
        TandemClientBuilder builder = TandemClient.builder();
        settings.queues().forEach((name, queue) -> {
            switch (queue.effectiveSource()) {
                case KAFKA -> builder.queue(BrokerSettings.kafka(settings, name, queue));
                case RABBIT -> builder.queue(BrokerSettings.rabbit(settings, name, queue));
            }
        });
        return builder;
    }
}
