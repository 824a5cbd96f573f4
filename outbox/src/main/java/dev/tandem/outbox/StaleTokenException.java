package dev.tandem.outbox;

/**
 * A later attempt at a task of this key has written already, so this attempt has lost its claim and must write nothing. Let
 * the handler fail with it, which rolls its transaction back.
 */
public final class StaleTokenException extends RuntimeException {

    StaleTokenException(String message) {
        super(message);
    }
}
