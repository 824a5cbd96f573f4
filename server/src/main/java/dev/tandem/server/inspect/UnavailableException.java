package dev.tandem.server.inspect;

/** Redis or a broker can't be reached now. The message says which, and why. */
public final class UnavailableException extends RuntimeException {

    public UnavailableException(String message) {
        super(message);
    }

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
