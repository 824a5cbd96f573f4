package dev.tandem.executor;

import java.lang.reflect.Method;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/** Threads for handlers: virtual ones where the running Java has them (21 and later), else daemons. */
final class HandlerThreads {

    private HandlerThreads() {}

    static boolean virtualAvailable() {
        return Runtime.version().feature() >= 21;
    }

    static ThreadFactory virtual(String prefix) {
        try {
            // Thread.ofVirtual().name(prefix, 0).factory(), by name because the baseline is Java 17.
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            Class<?> type = Class.forName("java.lang.Thread$Builder");
            Method name = type.getMethod("name", String.class, long.class);
            return (ThreadFactory) type.getMethod("factory").invoke(name.invoke(builder, prefix, 0L));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "Virtual threads need Java 21 or later, this is " + Runtime.version() + ": use platform threads",
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
