package dev.tandem.api;

/** How a task is published as a CloudEvent. */
public enum CloudEventMode {

    /** The payload is the body of the message, and the event's attributes are headers. */
    BINARY,

    /** The body of the message is JSON that has the event's attributes and the payload. */
    STRUCTURED
}
