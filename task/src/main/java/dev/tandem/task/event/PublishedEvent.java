package dev.tandem.task.event;

import java.util.Map;

/**
 * An event as a broker delivered it.
 *
 * @param attributes those of the CloudEvent, without the prefixes of the broker; empty if it is none
 * @param data its body
 */
public record PublishedEvent(Map<String, String> attributes, byte[] data) {

    /**
     * The most that an event of Tandem has: its texts have bounds, with an error of 2,000 characters, each escaped by six bytes, as the
     * longest. What is larger is none.
     */
    public static final int MAX_BYTES = 32 << 10;
}
