package dev.tandem.local;

/** There is no such broker on this machine, under the {@link LocalMode} in force. The message says how to get one. */
public final class UnavailableException extends LocalException {

    private static final long serialVersionUID = 1L;

    public UnavailableException(String message) {
        super(message);
    }
}
