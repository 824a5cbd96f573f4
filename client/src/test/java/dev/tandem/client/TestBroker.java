package dev.tandem.client;

import dev.tandem.task.Task;
import dev.tandem.testkit.BrokerProxy;
import java.util.List;

/** A broker with one fresh queue, whose messages can be read as an executor reads them. */
interface TestBroker extends AutoCloseable {

    /** Returns the name of the queue, which has an order by key. */
    String queue();

    /** Adds the queue. */
    TandemClientBuilder client();

    /** Adds the queue with payloads of this many bytes at most. */
    TandemClientBuilder clientWithMaxPayload(int bytes);

    /** Adds the queue behind a proxy, with short timeouts where the broker's client has some. */
    TandemClientBuilder clientThrough(BrokerProxy proxy);

    /** Starts a proxy in front of the broker. Close it. */
    BrokerProxy proxy();

    /** Adds a queue named "nowhere" whose tasks, of the key "k", have no place at the broker. */
    TandemClientBuilder clientOfAMissingPlace();

    /** Returns what a failure says that the missing place causes. */
    String missingPlace();

    /** Reads tasks from the beginning of the queue: those of a partition in their order. Waits for this number of them. */
    List<Task> read(int count);

    @Override
    void close();
}
