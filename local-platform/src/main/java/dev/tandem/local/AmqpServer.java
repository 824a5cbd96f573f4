package dev.tandem.local;

import java.nio.file.Path;

/** One way to run an AMQP broker: makes its processes and names it. Starting is {@link LocalAmqp}'s. */
interface AmqpServer {

    /** The broker's process, not started yet. */
    LocalProcess broker();

    /** Whether it takes clients. */
    boolean ready();

    /** Called before each start of the broker: starts what must run before it. */
    default void prepare() {}

    /** Ends what {@link #prepare()} started. */
    default void release() {}

    /** Its name without the version. */
    String name();

    String origin();

    /**
     * Where it shall run.
     *
     * @param port for clients
     * @param home for settings and logs
     * @param data for messages
     * @param disposable whether the data may be thrown away at the end
     */
    record Place(int port, Path home, Path data, boolean disposable) {

        LocalProcess build(LocalProcess.Builder builder) {
            builder.directory(home);
            return (disposable ? builder.disposable() : builder).build();
        }
    }
}
