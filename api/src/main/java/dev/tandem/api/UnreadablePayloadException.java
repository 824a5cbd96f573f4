package dev.tandem.api;

/**
 * Thrown by {@link TaskContext#payload(Class)} if the payload is not JSON that fits the type. The next attempt would
 * find the same bytes, so the task is dead at once.
 */
public final class UnreadablePayloadException extends RuntimeException implements FinalError {

    /** Makes the exception for a payload of this length. */
    public UnreadablePayloadException(Class<?> type, int length, Throwable cause) {
        // What the parser says may quote the payload. It is the second line, since only the first one is logged.
        super(
                "Cannot read the payload of " + length + " bytes as " + type.getName() + "\n" + cause.getMessage(),
                cause);
    }

    /**
     * Makes the exception for a payload of this length.
     *
     * @param reason why it does not fit, without anything that it contains: it is logged
     */
    public UnreadablePayloadException(Class<?> type, int length, String reason, Throwable cause) {
        super(
                "Cannot read the payload of " + length + " bytes as " + type.getName() + ": " + reason + "\n"
                        + cause.getMessage(),
                cause);
    }
}
