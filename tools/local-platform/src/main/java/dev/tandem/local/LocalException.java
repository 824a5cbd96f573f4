package dev.tandem.local;

/** A local broker or process cannot be started or controlled. The message says which, why, and what to do. */
public class LocalException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public LocalException(String message) {
        super(message);
    }

    public LocalException(String message, Throwable cause) {
        super(message, cause);
    }
}
