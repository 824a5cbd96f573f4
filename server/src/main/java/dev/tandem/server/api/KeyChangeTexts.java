package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.KeyAction;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.inspect.TaskRef;
import dev.tandem.server.words.Sentence;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Words what became of a change of a blocked key. */
final class KeyChangeTexts {

    private KeyChangeTexts() {}

    /** Returns the refusal of changes of which some were not made; it also says what was done. Null if all were made. */
    static @Nullable ApiException refusal(List<KeyChange> changes, KeyAction action, QueueSettings settings) {
        List<KeyChange> failed =
                changes.stream().filter(each -> each.change() != Change.DONE).toList();
        if (failed.isEmpty()) {
            return null;
        }
        // What may have been done matters more than what was not.
        KeyChange worst = failed.stream()
                .filter(each -> each.change() == Change.UNKNOWN)
                .findFirst()
                .orElse(failed.get(0));
        ApiException refusal = refusal(worst, settings);
        if (changes.size() == 1) {
            return refusal;
        }
        Stream<Sentence> notDone = failed.stream()
                .map(each -> Sentence.of(
                        "problem.in-partition",
                        each.before().partition(),
                        refusal(each, settings).detail()));
        Stream<Sentence> done = changes.stream()
                .filter(each -> each.change() == Change.DONE)
                .map(each -> Sentence.of(
                        "did.in-partition", each.before().partition(), did(action, each.before(), settings)));
        return refusal.type().refusal(Sentence.inARow(Stream.concat(notDone, done)), refusal.remedy());
    }

    /** Says why a change was not made, or not wholly. */
    private static ApiException refusal(KeyChange change, QueueSettings settings) {
        KeyInfo before = change.before();
        String key = before.key();
        TaskRef head = before.head();
        return switch (change.change()) {
            case RUNNING ->
                ProblemType.TASK_RUNNING.refusal(
                        Sentence.of("problem.head-running", key, head), Sentence.of("remedy.wait-for-run"));
            case IN_BROKER ->
                ProblemType.TASK_RUNNING.refusal(
                        Sentence.of("problem.head-in-broker", key, head), Sentence.of("remedy.wait-for-redelivery"));
            case NOT_HALTED ->
                ProblemType.KEY_NOT_HALTED.refusal(
                        Sentence.of("problem.not-halted", key, head, alive(before, settings)),
                        Sentence.of("remedy.not-halted"));
            case OTHER_HEAD ->
                ProblemType.OTHER_HEAD.refusal(
                        Sentence.of("problem.other-head", key, head), Sentence.of("remedy.other-head"));
            case DONE_IN_PART ->
                ProblemType.OTHER_HEAD.refusal(
                        Sentence.of("problem.drained-in-part", key, head), Sentence.of("remedy.look-at-key"));
            case UNKNOWN ->
                ProblemType.OUTCOME_UNKNOWN.refusal(
                        Sentence.of("problem.key-unknown", Sentence.problem(String.valueOf(change.problem())), key),
                        Sentence.of("remedy.key-unknown", head));
            case DONE, NOT_FOUND, OTHER_STATE, WOULD_EXPIRE, HALTS_KEY ->
                ProblemType.OTHER_HEAD.refusal(
                        Sentence.of("problem.key-changed", key), Sentence.of("remedy.look-again"));
        };
    }

    /** Returns whether changes were made at least in part. */
    static boolean isAnyMade(List<KeyChange> changes) {
        return changes.stream().anyMatch(each -> each.change() == Change.DONE || each.change() == Change.DONE_IN_PART);
    }

    /** Names the heads of changes, without any key; null if none was made, nor may have been. */
    static @Nullable String record(List<KeyChange> changes) {
        Map<Change, String> heads = new EnumMap<>(Change.class);
        changes.forEach(
                each -> heads.merge(each.change(), each.before().head().toString(), (one, next) -> one + ", " + next));
        String done = heads.remove(Change.DONE);
        String inPart = heads.remove(Change.DONE_IN_PART);
        String unknown = heads.remove(Change.UNKNOWN);
        if (done == null && inPart == null && unknown == null) {
            return null;
        }
        return Stream.of(
                        done == null ? null : "head " + done,
                        inPart == null ? null : "some tasks behind " + inPart + " died",
                        unknown == null ? null : "not known of " + unknown,
                        heads.isEmpty() ? null : "not done: " + String.join(", ", heads.values()))
                .filter(Objects::nonNull)
                .collect(Collectors.joining("; "));
    }

    private static Sentence alive(KeyInfo before, QueueSettings settings) {
        TaskInfo head = before.headTask();
        if (head == null) {
            return Sentence.of("head.redelivered");
        }
        Sentence due = head.at() == null ? Sentence.NOTHING : Sentence.of("head.due", head.at());
        return head.attempts() == 0
                ? Sentence.of("head.first", due)
                : Sentence.of("head.next", head.attempts(), most(head, settings), due);
    }

    private static int most(TaskInfo head, QueueSettings settings) {
        return TaskViews.maxAttempts(
                settings, head.envelope() == null ? null : head.envelope().task());
    }

    /** Says what was really done. @param before the key as it was */
    static Sentence did(KeyAction action, KeyInfo before, QueueSettings settings) {
        return switch (action) {
            case RETRY -> retried(before, settings);
            case SKIP -> Sentence.inARow(Stream.of(givenUp(before), next(before)));
            case DRAIN ->
                Sentence.inARow(Stream.of(
                        givenUp(before),
                        before.parked() == 0 ? Sentence.of("did.open") : Sentence.of("did.drained", before.parked())));
        };
    }

    private static Sentence retried(KeyInfo before, QueueSettings settings) {
        TaskInfo head = before.headTask();
        if (before.isHalted() || head == null) {
            return Sentence.of("did.runs-again", before.head());
        }
        return Sentence.of(
                "did.due-now", before.head(), String.valueOf(head.at()), head.attempts(), most(head, settings));
    }

    private static Sentence givenUp(KeyInfo before) {
        String key =
                before.isHalted() ? "did.stays-dead" : before.headTask() == null ? "did.passed-by" : "did.dead-now";
        return Sentence.of(key, before.head());
    }

    private static Sentence next(KeyInfo before) {
        return before.parked() == 0 ? Sentence.of("did.open") : Sentence.of("did.goes-on", before.parked());
    }
}
