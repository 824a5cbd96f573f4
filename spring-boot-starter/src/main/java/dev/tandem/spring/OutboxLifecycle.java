package dev.tandem.spring;

import dev.tandem.api.TaskClient;
import dev.tandem.outbox.OutboxRelay;
import dev.tandem.outbox.RelayStatus;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Runs a relay between the start and the stop of the application's context. Starts before the web server and the handlers and
 * stops after them, so that it publishes what they submit at last. Thread-safe.
 */
final class OutboxLifecycle implements SmartLifecycle {

    private static final int BEFORE_WEB_SERVERS = DEFAULT_PHASE - 4_096;

    private final ApplicationOutbox outbox;
    private final Supplier<TaskClient> clients;
    private @Nullable TaskClient client;
    private volatile @Nullable OutboxRelay relay;
    private volatile boolean running;

    /** @param clients opens a client that publishes to the brokers */
    OutboxLifecycle(ApplicationOutbox outbox, Supplier<TaskClient> clients) {
        this.outbox = outbox;
        this.clients = clients;
    }

    @Override
    public int getPhase() {
        return BEFORE_WEB_SERVERS;
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        if (outbox.isRelayed()) {
            TaskClient opened = clients.get();
            client = opened;
            relay = outbox.relay(opened);
        }
        running = true;
    }

    @Override
    public synchronized void stop() {
        running = false;
        OutboxRelay stopping = relay;
        relay = null;
        if (stopping != null) {
            stopping.close();
        }
        TaskClient closing = client;
        client = null;
        if (closing != null) {
            closing.close();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Returns what the relay of this application does; null if it has none. */
    @Nullable
    RelayStatus status() {
        OutboxRelay current = relay;
        return current != null ? current.status() : null;
    }
}
