package dev.tandem.server.demo;

/** A way to publish tasks. What was sent is acknowledged when {@link #close} returns. */
interface Door extends AutoCloseable {

    /** @param nowMillis the message's time, from which its delay counts */
    void send(DemoTask task, long nowMillis);

    /** @throws IllegalStateException if a message was not taken */
    @Override
    void close();
}
