package dev.tandem.rabbit;

/** Exchanges or queues are not, and can't be made, as they are needed. The message says which and what to do. */
public final class RabbitTopologyException extends RuntimeException {

    RabbitTopologyException(String message) {
        super(message);
    }

    RabbitTopologyException(String message, Throwable cause) {
        super(message, cause);
    }
}
