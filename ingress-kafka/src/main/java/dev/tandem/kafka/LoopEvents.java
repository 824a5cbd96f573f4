package dev.tandem.kafka;

import dev.tandem.task.Source.Events;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports events to the queue's loop while it polls. An exception thrown by the loop is kept until the poll ends:
 * thrown through the Kafka consumer, it would leave the consumer in an undefined state.
 */
final class LoopEvents {

    private final PollWakeup wakeup;
    private @Nullable Events target;
    private boolean insideConsumer;
    private boolean emittedAny;
    private @Nullable Throwable failure;

    LoopEvents(PollWakeup wakeup) {
        this.wakeup = wakeup;
    }

    void beginPoll(Events events) {
        target = events;
        emittedAny = false;
    }

    /** Marks that the consumer was entered or left. An event emitted inside it must end its wait. */
    void insideConsumer(boolean inside) {
        insideConsumer = inside;
    }

    /** Reports an event. Does nothing outside of a poll. */
    void emit(Consumer<Events> event) {
        Events current = target;
        if (current == null) {
            return;
        }
        emittedAny = true;
        try {
            event.accept(current);
        } catch (RuntimeException | Error e) {
            if (failure == null) {
                failure = e;
            } else {
                failure.addSuppressed(e);
            }
        }
        if (insideConsumer) {
            wakeup.wake();
        }
    }

    /** Whether this poll has reported an event. */
    boolean emittedAny() {
        return emittedAny;
    }

    /** Ends the poll and throws what the loop threw in it. */
    void endPoll() {
        target = null;
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
