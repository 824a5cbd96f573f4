package dev.tandem.outbox;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** A relay in a process of its own, which can be killed and frozen. */
final class RelayMain {

    private RelayMain() {}

    /** @param args the kind of broker, its address, the queue, the database's URL */
    public static void main(String... args) throws InterruptedException {
        OutboxRelay relay = OutboxRelay.start(
                TestDatabase.at(args[3]).source(),
                TestBroker.Kind.valueOf(args[0]).client(args[1], args[2]),
                RelaySettings.DEFAULT.withLease(Duration.ofSeconds(2)).withBatch(100));
        new CountDownLatch(1).await();
        relay.close();
    }
}
