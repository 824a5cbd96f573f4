package dev.tandem.server.why;

import dev.tandem.server.words.Sentence;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a key or a task does not move.
 *
 * @param cause the one thing to know
 * @param task the task that all others wait for; null if there is none, or none is known
 * @param behind how many tasks wait behind it, as far as is known
 * @param expected about when the last of them will have ended; null if that cannot be told
 */
public record Diagnosis(
        Cause cause,
        @Nullable TaskFacts task,
        long behind,
        @Nullable Instant expected) {

    /** Returns the answer in English. */
    public String text(Wording words) {
        return sentence(words).english();
    }

    /** Returns the answer: the cause, the prediction and the remedy. */
    public Sentence sentence(Wording words) {
        Sentence says = cause.says(words);
        Sentence more = behind > 0 ? Sentence.of("why.behind", behind) : Sentence.NOTHING;
        Sentence end = expected == null ? Sentence.NOTHING : Sentence.of("why.expected", words.time(expected));
        Sentence remedy = cause.remedy(words);
        return remedy.equals(Sentence.NOTHING)
                ? Sentence.of("why.text-only", says, more, end)
                : Sentence.of("why.text", says, more, end, remedy);
    }
}
