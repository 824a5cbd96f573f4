package dev.tandem.server.why;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a key or a task does not move.
 *
 * @param cause the one thing to know
 * @param task the task that all others wait for; null if there is none, or none is known
 * @param behind how many tasks wait behind it, as far as is known
 * @param expected about when the last of them will have ended; null if that cannot be told
 */
public record Finding(
        Diagnosis cause,
        @Nullable TaskFacts task,
        long behind,
        @Nullable Instant expected) {

    /** Returns the answer in words: the cause, the prediction and the remedy. */
    public String text(Wording words) {
        Diagnosis.Told told = cause.told(words);
        StringBuilder text = new StringBuilder(told.says());
        if (behind > 0) {
            text.append("; ").append(behind).append(" behind it");
        }
        if (expected != null) {
            text.append("; about ").append(words.time(expected));
        }
        return text.append(". ").append(told.remedy()).toString().strip();
    }
}
