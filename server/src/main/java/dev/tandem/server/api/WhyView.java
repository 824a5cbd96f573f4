package dev.tandem.server.api;

import dev.tandem.server.why.Diagnosis;
import dev.tandem.server.why.Facts;
import dev.tandem.server.why.PartitionOwner;
import dev.tandem.server.why.TaskFacts;
import dev.tandem.server.why.Wording;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a key or a task does not move.
 *
 * @param key the key; absent if the task has none, or only its name is known
 * @param cause one word: the cause
 * @param text the cause, the prediction and the remedy, for people
 * @param remedy what to do, for people; absent if there is nothing
 * @param ref the task that all others wait for; absent if it is not known
 * @param id the id of that task
 * @param state the state of that task
 * @param at when that task is due, or when its run began
 * @param behind how many tasks wait behind that one, as far as is known
 * @param expected about when the last of them will have ended; absent if that cannot be told
 * @param partition where the key or the task belongs; absent if it is not known
 * @param owner who owns that partition; absent if nobody does
 * @param now when the answer was made
 */
public record WhyView(
        String queue,
        @Nullable String key,
        String cause,
        String text,
        @Nullable String remedy,
        @Nullable String ref,
        @Nullable String id,
        @Nullable String state,
        @Nullable Instant at,
        long behind,
        @Nullable Instant expected,
        @Nullable String partition,
        @Nullable String owner,
        Instant now) {

    static WhyView of(String queue, Facts facts, Diagnosis diagnosis, Wording words) {
        String remedy = diagnosis.cause().remedy(words).english();
        TaskFacts task = diagnosis.task();
        PartitionOwner home = facts.home();
        return new WhyView(
                queue,
                facts.key(),
                diagnosis.cause().word(),
                diagnosis.text(words),
                remedy.isEmpty() ? null : remedy,
                task == null ? null : task.ref().toString(),
                task == null ? null : task.name(),
                task == null ? null : Views.lower(task.state()),
                task == null ? null : task.at(),
                diagnosis.behind(),
                diagnosis.expected(),
                home == null ? null : home.partition(),
                home == null ? null : home.owner(),
                facts.now());
    }
}
