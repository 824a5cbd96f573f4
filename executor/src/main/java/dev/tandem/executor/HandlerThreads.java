package dev.tandem.executor;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Makes the threads that run handlers: virtual threads on Java 21 and later, otherwise daemon threads. */
final class HandlerThreads {

    private HandlerThreads() {}

    static boolean virtualAvailable() {
        return Runtime.version().feature() >= 21;
    }

    /** @throws IllegalStateException if this Java has no virtual threads */
    static ThreadFactory virtual(String prefix) {
        try {
            // Thread.ofVirtual().name(prefix, 0).factory(), by reflection because the baseline is Java 17.
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Method name = type.getMethod("name", String.class, long.class);
            return (ThreadFactory) type.getMethod("factory").invoke(name.invoke(builder, prefix, 0L));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "Virtual threads need Java 21 or later and this is " + Runtime.version() + ": use platform threads",
                    e);
        }
    }

    static ThreadFactory platform(String prefix) {
        AtomicLong count = new AtomicLong();
        return task -> {
            Thread thread = new Thread(task, prefix + count.getAndIncrement());
            thread.setDaemon(true);
            return thread;
        };
    }
}
