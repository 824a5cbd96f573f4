package dev.tandem.runtime.queues;

import dev.tandem.executor.QueueSpec;
import dev.tandem.runtime.settings.QueueSettings;

/** Gives each queue its handlers. */
@FunctionalInterface
public interface QueueHandlers {

    /**
     * Adds the handlers of a queue. Called once for each queue, before the executor is built.
     *
     * @param name the queue's name
     * @param spec the queue with all that its settings say
     */
    void addTo(String name, QueueSettings queue, QueueSpec.Builder spec);
}
