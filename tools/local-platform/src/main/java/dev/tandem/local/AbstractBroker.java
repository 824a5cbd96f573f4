package dev.tandem.local;

import dev.tandem.kit.FileTree;
import java.nio.file.Path;
import java.time.Duration;

/** A broker that runs in a process or a container, which is started and then waited for until it accepts clients. */
abstract class AbstractBroker implements LocalBroker {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final BrokerLocation location;
    private final BrokerServer server;

    /** @param server not started yet */
    AbstractBroker(BrokerLocation location, BrokerServer server) {
        this.location = location;
        this.server = server;
    }

    /** Starts the broker for the first time. Leaves nothing behind if that fails. */
    final void begin() {
        try {
            start();
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public String origin() {
        return server.origin();
    }

    /** The port for clients. */
    public int port() {
        return location.port();
    }

    @Override
    public boolean isRunning() {
        return server.runtime().isRunning();
    }

    @Override
    public long pid() {
        return server.runtime() instanceof LocalProcess process ? process.pid() : -1;
    }

    @Override
    public void kill() {
        server.runtime().kill();
    }

    @Override
    public void stop() {
        server.runtime().stop(STOP_LIMIT);
    }

    @Override
    public void start() {
        if (!isRunning()) {
            server.prepare();
            server.runtime().startAndAwait(server.startLimit(), server::ready);
        }
    }

    @Override
    public void suspend() {
        server.runtime().suspend();
    }

    @Override
    public void resume() {
        server.runtime().resume();
    }

    /** The file that the broker logs to. */
    public Path log() {
        return server.runtime().log();
    }

    BrokerLocation location() {
        return location;
    }

    BrokerServer server() {
        return server;
    }

    @Override
    public void close() {
        server.runtime().close();
        server.release();
        if (location.temporary()) {
            FileTree.delete(location.data());
        }
    }

    @Override
    public String toString() {
        return product() + " (" + origin() + ") at 127.0.0.1:" + port();
    }
}
