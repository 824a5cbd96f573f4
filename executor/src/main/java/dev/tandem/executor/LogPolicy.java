package dev.tandem.executor;

/**
 * The rules for log lines about the tasks of a queue.
 *
 * @param keys whether lines above DEBUG name keys, which may be personal data, cut at 64 characters
 * @param mask hides what errors repeat of payloads, in the log and in fan-outs
 */
public record LogPolicy(boolean keys, ErrorMask mask) {

    /** Names keys and hides nothing. */
    public static final LogPolicy DEFAULTS = new LogPolicy(true, (payload, error) -> error);

    /** Hides parts of an error. */
    @FunctionalInterface
    public interface ErrorMask {

        /** Returns an error of a task without what nobody is to see. May be called by any thread. */
        String hide(byte[] payload, String error);
    }
}
