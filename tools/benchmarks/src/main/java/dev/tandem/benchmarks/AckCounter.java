package dev.tandem.benchmarks;

import dev.tandem.task.Source;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;

/** Counts the acks that a source is asked for. Thread-safe. */
final class AckCounter {

    private final LongAdder acks = new LongAdder();

    /** Wraps a source so that its acks are counted. */
    Source counting(Source source) {
        return (Source) Proxy.newProxyInstance(
                Source.class.getClassLoader(), new Class<?>[] {Source.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("ack") && arguments[1] instanceof Collection<?> sequences) {
                        acks.add(sequences.size());
                    }
                    if (method.getName().equals("equals")) {
                        return proxy == arguments[0];
                    }
                    try {
                        return method.invoke(source, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    long count() {
        return acks.sum();
    }
}
