package dev.tandem.local;

import java.nio.file.Path;
import java.time.Duration;

/** What all local brokers share: a runner under them that is started until a probe says that clients are welcome. */
abstract class AbstractBroker implements LocalBroker {

    private static final Duration STOP_LIMIT = Duration.ofSeconds(30);

    private final Place place;
    private final Server server;

    /** @param server not started yet */
    AbstractBroker(Place place, Server server) {
        this.place = place;
        this.server = server;
    }

    /** Starts it for the first time; nothing of it stays if it does not come up. */
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

    /** The port that clients use. */
    public int port() {
        return place.port();
    }

    @Override
    public boolean isRunning() {
        return server.runner().isRunning();
    }

    @Override
    public long pid() {
        return server.runner() instanceof LocalProcess process ? process.pid() : -1;
    }

    @Override
    public void kill() {
        server.runner().kill();
    }

    @Override
    public void stop() {
        server.runner().stop(STOP_LIMIT);
    }

    @Override
    public void start() {
        if (!isRunning()) {
            server.prepare();
            server.runner().startAndAwait(server.startLimit(), server::ready);
        }
    }

    @Override
    public void suspend() {
        server.runner().suspend();
    }

    @Override
    public void resume() {
        server.runner().resume();
    }

    /** The file with its log. */
    public Path log() {
        return server.runner().log();
    }

    Place place() {
        return place;
    }

    Server server() {
        return server;
    }

    @Override
    public void close() {
        server.runner().close();
        server.release();
        if (place.temporary()) {
            Folders.delete(place.data());
        }
    }

    @Override
    public String toString() {
        return product() + " (" + origin() + ") at 127.0.0.1:" + port();
    }
}
