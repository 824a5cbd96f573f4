package dev.tandem.rabbit;

/** Thrown if an exchange or queue cannot be made as it is needed. The message names it and says what to do. */
public final class RabbitTopologyException extends RuntimeException {

    RabbitTopologyException(String message) {
        super(message);
    }

    RabbitTopologyException(String message, Throwable cause) {
        super(message, cause);
    }
}
