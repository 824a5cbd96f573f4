package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Administration.KeyAction;
import dev.tandem.server.inspect.Administration.KeyChange;
import dev.tandem.server.inspect.KeyInfo;
import dev.tandem.server.inspect.TaskInfo;

/** Words what became of a change of a blocked key. */
final class KeyChangeTexts {

    private KeyChangeTexts() {}

    /** Refuses a change that was not made, and says why. */
    static void check(KeyChange change, QueueSettings settings) {
        KeyInfo before = change.before();
        String head = "The head of the key '" + before.key() + "', " + before.head() + ",";
        switch (change.change()) {
            case DONE -> {}
            case RUNNING -> throw ApiException.conflict(head + " is running", "Wait until its run has ended");
            case IN_BROKER ->
                throw ApiException.conflict(
                        head + " is not in Redis: its executor died, and its broker will deliver it again",
                        "Wait for two leases or so");
            case NOT_HALTED ->
                throw ApiException.conflict(
                        "The key '" + before.key() + "' is not halted: its head, " + before.head() + ", "
                                + alive(before, settings),
                        "It needs nobody. Retry the key to run it now. To give up a task that is alive, add force=true"
                                + " (--force)");
            case NOT_FOUND, OTHER_STATE, HALTS_KEY ->
                throw ApiException.conflict(
                        "The key '" + before.key() + "' has changed in the meantime", "Look at it again");
        }
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
