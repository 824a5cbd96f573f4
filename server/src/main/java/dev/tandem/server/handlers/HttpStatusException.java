package dev.tandem.server.handlers;

/** An answer that is no success. Without a stack trace: where it was thrown says nothing. */
final class HttpStatusException extends RuntimeException {

    HttpStatusException(String reason) {
        super(reason, null, false, false);
    }

    /** People read it among a task's errors. */
    @Override
    public String toString() {
        return getMessage();
    }
}
