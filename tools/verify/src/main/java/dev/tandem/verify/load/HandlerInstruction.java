package dev.tandem.verify.load;

import java.nio.charset.StandardCharsets;

/**
 * An instruction to the handler of a task, which is the task's payload.
 *
 * @param millis how long the handler takes
 */
public record HandlerInstruction(Outcome outcome, long millis) {

    /** How the handler ends. */
    public enum Outcome {
        SUCCEED,
        /** Fails at the first attempt, then succeeds. */
        FAIL_ONCE,
        /** Gives the task up at the first attempt. */
        DIE
    }

    public byte[] payload() {
        return (outcome + " " + millis).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Reads a payload.
     *
     * @throws IllegalArgumentException if the payload is not an instruction
     */
    public static HandlerInstruction of(byte[] payload) {
        String[] words = new String(payload, StandardCharsets.US_ASCII).split(" ", -1);
        return new HandlerInstruction(Outcome.valueOf(words[0]), Long.parseLong(words[1]));
    }
}
