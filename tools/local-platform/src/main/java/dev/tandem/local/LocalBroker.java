package dev.tandem.local;

/**
 * A broker, or a Redis, on this machine. It is started when it is made, on a port of its own, and ends when it is
 * closed or when this JVM ends. Implementations are thread-safe.
 */
public interface LocalBroker extends AutoCloseable {

    /** The product and its version: "Redis 7.0.15". */
    String product();

    /** Where the program comes from, for people: "redis-server on the PATH", "embedded", "Docker, redis:7.4.11-alpine". */
    String origin();

    /** The address for clients, in the form of the setting that expects it. */
    String address();

    boolean isRunning();

    /** The id of its current or last process; -1 in a container. */
    long pid();

    /** Ends it as a crash would (SIGKILL). What it had not written is lost. */
    void kill();

    /** Ends it in an orderly way. */
    void stop();

    /** Starts it again on the same port with the same data, and waits until it answers. */
    void start();

    /** Stops it if it runs, and starts it. */
    default void restart() {
        stop();
        start();
    }

    /** Freezes it (SIGSTOP): its connections stay open, and it does not answer. */
    void suspend();

    /** Continues it after {@link #suspend()}. */
    void resume();

    /** Ends it and deletes its temporary files. May be called twice. */
    @Override
    void close();
}
