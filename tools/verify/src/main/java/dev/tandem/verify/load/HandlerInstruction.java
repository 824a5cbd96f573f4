package dev.tandem.verify.load;

import java.nio.charset.StandardCharsets;

/**
 * What a task's handler is to do, as its payload says it.
 *
 * @param millis that it takes
 */
public record HandlerInstruction(Outcome what, long millis) {

    /** How it ends. */
    public enum Outcome {
        SUCCEED,
        /** Fails at its first attempt, then succeeds. */
        FAIL_ONCE,
        /** Is given up at once. */
        DIE
    }

    /** The payload. */
    public byte[] payload() {
        return (what + " " + millis).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads a payload.
     *
     * @throws IllegalArgumentException if it is none of ours
     */
    public static HandlerInstruction of(byte[] payload) {
        String[] words = new String(payload, StandardCharsets.US_ASCII).split(" ", -1);
        return new HandlerInstruction(Outcome.valueOf(words[0]), Long.parseLong(words[1]));
    }
}
