package dev.tandem.api;

import org.jspecify.annotations.Nullable;

/**
 * Hides parts of payloads from the people who look at tasks: in the API, in the command line and in logs. Handlers and pull
 * workers get every payload as it is.
 *
 * <p>For payloads in JSON the setting {@code tandem.queues.<name>.mask} is enough. A bean of this type in the server masks
 * payloads of any kind. It is called by several threads at once, each time that a payload is shown. If it throws, the
 * whole payload is hidden.
 */
@FunctionalInterface
public interface PayloadMask {

    /**
     * Returns what may be shown of a payload.
     *
     * @param queue the queue of the task
     * @param type the type of the task; null if it names none
     * @param payload the payload; must not be changed
     * @return the payload itself if nothing in it is to be hidden; null to hide it as a whole
     */
    byte @Nullable [] mask(String queue, @Nullable String type, byte[] payload);
}
