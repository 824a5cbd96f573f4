package dev.tandem.task.store;

/**
 * Says that a call was refused because the store holds something else where it keeps what a request is about. It was not Tandem
 * that wrote it. The same request is refused again until somebody removes that.
 */
public final class WrongTypeException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public WrongTypeException(String message, Throwable cause) {
        super(message, cause);
    }
}
