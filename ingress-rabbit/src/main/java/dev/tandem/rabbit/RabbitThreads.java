package dev.tandem.rabbit;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes daemon threads, named by what they serve. */
final class RabbitThreads {

    private RabbitThreads() {}

    static ThreadFactory named(String name) {
        AtomicInteger count = new AtomicInteger();
        return task -> {
            Thread thread = new Thread(task, "tandem-rabbit-" + name + "-" + count.incrementAndGet());
            thread.setDaemon(true);
            return thread;
        };
    }
}
