package dev.tandem.scheduler;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks up whether a queue is paused whenever it is told that this may have changed, and tells one hearer. */
final class PauseWatch implements Runnable {

    private final Inspector inspector;
    private final String queue;
    private final Consumer<Boolean> hearer;
    private @Nullable Boolean told;

    PauseWatch(Inspector inspector, String queue, Consumer<Boolean> hearer) {
        this.inspector = inspector;
        this.queue = queue;
        this.hearer = hearer;
    }

    @Override
    public void run() {
        inspector.pausedSince(queue).thenAccept(since -> tell(since.isPresent()));
    }

    private synchronized void tell(boolean paused) {
        if (told == null || told != paused) {
            told = paused;
            hearer.accept(paused);
        }
    }
}
