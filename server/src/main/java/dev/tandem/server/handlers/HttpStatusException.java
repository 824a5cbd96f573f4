package dev.tandem.server.handlers;

/** An answer that is no success, or none. Without a stack trace: where it was thrown says nothing. */
final class HttpStatusException extends RuntimeException {

    private final String reason;

    HttpStatusException(String reason) {
        super(reason, null, false, false);
        this.reason = reason;
    }

    /** People read it among a task's errors. */
    @Override
    public String toString() {
        return reason;
    }
}
