package dev.tandem.local;

/**
 * A broker, or Redis, on this machine: started when it is made, on ports of its own, and gone when it is closed or when
 * this JVM ends. Implementations are thread-safe.
 */
public interface LocalBroker extends AutoCloseable {

    /** What runs, with its version: "Redis 7.0.15". */
    String product();

    /** Where it comes from, for people: "redis-server on the PATH", "embedded", "Docker, redis:7-alpine". */
    String origin();

    /** Where clients connect, in the form of the setting that takes it. */
    String address();

    boolean isRunning();

    /** The id of its process, or of the last one that it had; -1 in a container. */
    long pid();

    /** Ends it as a crash would (SIGKILL). What it had not written is lost. */
    void kill();

    /** Ends it in its own way. */
    void stop();

    /** Starts it again on the same port with the same data, and waits until it answers. */
    void start();

    /** Stops it if it runs, and starts it. */
    default void restart() {
        stop();
        start();
    }

    /** Freezes it (SIGSTOP): connections stay open, nothing answers. */
    void suspend();

    /** Lets it go on after {@link #suspend()}. */
    void resume();

    /** Ends it and deletes its temporary files; safe to call twice. */
    @Override
    void close();
}
