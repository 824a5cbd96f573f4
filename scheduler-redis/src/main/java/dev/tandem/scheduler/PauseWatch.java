package dev.tandem.scheduler;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Looks up whether a queue is paused, each time that it runs, and calls a listener when that has changed. */
final class PauseWatch implements Runnable {

    private final Inspector inspector;
    private final String queue;
    private final Consumer<Boolean> listener;
    private @Nullable Boolean lastPaused;

    PauseWatch(Inspector inspector, String queue, Consumer<Boolean> listener) {
        this.inspector = inspector;
        this.queue = queue;
        this.listener = listener;
    }

    @Override
    public void run() {
        inspector.pausedSince(queue).thenAccept(since -> update(since.isPresent()));
    }

    private synchronized void update(boolean paused) {
        if (lastPaused == null || lastPaused != paused) {
            lastPaused = paused;
            listener.accept(paused);
        }
    }
}
