package dev.tandem.server.handlers;

/** Fails an attempt whose response was not a success, or missing. Has no stack trace, which would tell nothing. */
final class HttpStatusException extends RuntimeException {

    private final String reason;

    HttpStatusException(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }

    /** Returns the reason alone, because people read it as the task's error. */
    @Override
    public String toString() {
        return reason;
    }
}
