package dev.tandem.executor;

/** The payload is not what its handler reads it as. Another attempt would find the same bytes, so it is final. */
public final class UnreadablePayloadException extends RuntimeException implements FinalError {

    UnreadablePayloadException(Class<?> type, int length, Throwable cause) {
        super(
                "The payload of " + length + " bytes can't be read as " + type.getName() + ": " + cause.getMessage(),
                cause);
    }
}
