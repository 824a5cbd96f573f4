package dev.tandem.kafka;

import dev.tandem.task.Source.Events;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way to the engine, during a poll only. What the engine throws is kept until the poll ends: nothing may be thrown
 * through the consumer, which would be left half way.
 */
final class Reports {

    private final Wakeups wakeups;
    private @Nullable Events events;
    private boolean insideConsumer;
    private int told;
    private @Nullable Throwable failure;

    Reports(Wakeups wakeups) {
        this.wakeups = wakeups;
    }

    void begin(Events target) {
        events = target;
        told = 0;
    }

    /** The consumer is entered or left: what is told in it must end its wait. */
    void insideConsumer(boolean inside) {
        insideConsumer = inside;
    }

    void tell(Consumer<Events> event) {
        Events target = events;
        if (target == null) {
            return;
        }
        told++;
        try {
            event.accept(target);
        } catch (RuntimeException | Error e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
        if (insideConsumer) {
            wakeups.wake();
        }
    }

    boolean toldAny() {
        return told > 0;
    }

    void end() {
        events = null;
        Throwable thrown = failure;
        failure = null;
        if (thrown instanceof RuntimeException e) {
            throw e;
        }
        if (thrown instanceof Error e) {
            throw e;
        }
    }
}
