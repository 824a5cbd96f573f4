package dev.tandem.demo;

/** Publishes tasks to a broker. All messages are acknowledged when {@link #close} returns. */
interface TaskPublisher extends AutoCloseable {

    /** @param nowMillis the message's timestamp; a delay counts from it */
    void send(DemoTask task, long nowMillis);

    /** @throws IllegalStateException if the broker did not accept a message */
    @Override
    void close();
}
