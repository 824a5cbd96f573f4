package dev.tandem.local;

/** There is no such broker on this machine, in the {@link LocalMode} that is set. The message says how to get one. */
public final class MissingBrokerException extends LocalException {

    private static final long serialVersionUID = 1L;

    public MissingBrokerException(String message) {
        super(message);
    }
}
