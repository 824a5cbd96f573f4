package dev.tandem.server.inspect;

/** Thrown when Redis or a broker cannot be reached. The message names it and the reason. */
public final class UnavailableException extends RuntimeException {

    public UnavailableException(String message) {
        super(message);
    }

    public UnavailableException(String message, Throwable cause) {
        super(message, cause);
    }
}
