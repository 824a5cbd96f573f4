package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.Administration.KeyAction;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskInfo;
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
        String done = changes.stream()
                .filter(each -> each.change() == Change.DONE)
                .map(each ->
                        " Done in partition " + each.before().partition() + ": " + did(action, each.before(), settings))
                .collect(Collectors.joining());
        if (changes.size() == 1) {
            return refusal;
        }
        String notDone = failed.stream()
                .map(each -> "Partition " + each.before().partition() + ": "
                        + refusal(each, settings).getMessage() + ".")
                .collect(Collectors.joining(" "));
        return refusal.type().refusal(notDone + done, refusal.remedy());
    }

    /** Says why a change was not made, or not wholly. */
    private static ApiException refusal(KeyChange change, QueueSettings settings) {
        KeyInfo before = change.before();
        String head = "The head of the key '" + before.key() + "', " + before.head() + ",";
        return switch (change.change()) {
            case RUNNING -> ProblemType.TASK_RUNNING.refusal(head + " is running", "Wait until its run has ended");
            case IN_BROKER ->
                ProblemType.TASK_RUNNING.refusal(
                        head + " is not in Redis: its executor died, and its broker will deliver it again",
                        "Wait for two leases or so");
            case NOT_HALTED ->
                ProblemType.KEY_NOT_HALTED.refusal(
                        "The key '" + before.key() + "' is not halted: its head, " + before.head() + ", "
                                + alive(before, settings),
                        "It needs nobody. Retry the key to run it now. To give up a task that is alive, add force=true"
                                + " (--force)");
            case OTHER_HEAD ->
                ProblemType.OTHER_HEAD.refusal(
                        "The key '" + before.key() + "' has another head by now: " + before.head(),
                        "Look at the key again, and name that head if it is the one to change");
            case DONE_IN_PART ->
                ProblemType.OTHER_HEAD.refusal(
                        head
                                + " has changed while the key was drained: tasks behind it that had died by then stay dead,"
                                + " and the others wait",
                        "Look at the key again");
            case UNKNOWN ->
                ProblemType.OUTCOME_UNKNOWN.refusal(
                        change.problem() + ". The change of the key '" + before.key()
                                + "' may have been made, wholly or in part",
                        "Look at the key, and ask again with head=" + before.head() + " if it still has that head");
            case DONE, NOT_FOUND, OTHER_STATE, WOULD_EXPIRE, HALTS_KEY ->
                ProblemType.OTHER_HEAD.refusal(
                        "The key '" + before.key() + "' has changed in the meantime", "Look at it again");
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

    private static String alive(KeyInfo before, QueueSettings settings) {
        TaskInfo head = before.headTask();
        if (head == null) {
            return "will be delivered again by its broker";
        }
        return (head.attempts() == 0
                        ? "waits for its first attempt"
                        : "waits for its next attempt, after " + attempts(head, settings))
                + (head.at() == null ? "" : ", and is due at " + head.at());
    }

    private static String attempts(TaskInfo head, QueueSettings settings) {
        int most = TaskViews.maxAttempts(
                settings, head.envelope() == null ? null : head.envelope().task());
        return head.attempts() + " of " + most;
    }

    /** Says what was really done. @param before the key as it was */
    static String did(KeyAction action, KeyInfo before, QueueSettings settings) {
        return switch (action) {
            case RETRY -> retried(before, settings);
            case SKIP -> givenUp(before) + " " + next(before);
            case DRAIN ->
                givenUp(before) + " "
                        + (before.parked() == 0
                                ? "No task was parked behind it"
                                : "The tasks parked behind it died too (" + before.parked() + " when this began)")
                        + ": the key is open.";
        };
    }

    private static String retried(KeyInfo before, QueueSettings settings) {
        TaskInfo head = before.headTask();
        if (before.isHalted() || head == null) {
            return "The dead task " + before.head() + " runs again now, with all its attempts.";
        }
        return "The task " + before.head() + " was not dead. It is due now instead of at " + head.at()
                + "; it has spent " + attempts(head, settings) + " attempts.";
    }

    private static String givenUp(KeyInfo before) {
        if (before.isHalted()) {
            return "The dead task " + before.head() + " stays dead.";
        }
        return before.headTask() == null
                ? "The task " + before.head() + " is passed by: it runs when its broker delivers it again."
                : "The task " + before.head() + " was alive, and is dead now.";
    }

    private static String next(KeyInfo before) {
        return before.parked() == 0
                ? "No task was parked behind it: the key is open."
                : "The next of the " + before.parked() + " tasks behind it goes on.";
    }
}
