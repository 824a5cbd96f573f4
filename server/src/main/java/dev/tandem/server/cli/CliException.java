package dev.tandem.server.cli;

/** Thrown to end a command with a message and an exit status. */
final class CliException extends RuntimeException {

    static final int REFUSED = 1;
    static final int USAGE = 2;
    static final int UNREACHABLE = 3;

    private final int status;

    CliException(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    int status() {
        return status;
    }
}
