package dev.tandem.server.console;

import dev.tandem.server.api.OperationViews;
import dev.tandem.server.api.TaskReader.Choice;
import dev.tandem.server.operations.OperationTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The pages that belong to an operation: the lists of its tasks, the group of its error, and what died since.
 *
 * @param takes the names of what chooses its tasks
 */
record OperationLinks(OperationViews.View operation, Set<String> takes) {

    private static final String DEAD = "dead";

    /** The filters of a list of tasks; {@code at} chooses none, and {@code halting} is said only where more are taken. */
    private static final Set<String> NO_MISSING_FILTERS =
            Set.of("state", "partition", "key", "type", "id", "fingerprint", "died-after", "halting", "at");

    /** Returns the list of the tasks in a state that the operation would take now, as far as a list has its filters. */
    String tasks(String state) {
        OperationViews.Selection from = operation.selection();
        boolean dead = state.equals(DEAD);
        return list(state, from == null ? null : from.fingerprint(), dead && from != null ? instant(from) : null);
    }

    /** Returns the names of what chooses its tasks and is no filter of such a list. */
    List<String> missing() {
        List<String> names = new ArrayList<>(takes);
        names.removeAll(NO_MISSING_FILTERS);
        if (choosesByHalting()) {
            names.add("halting");
        }
        return names;
    }

    /** Returns whether it takes dead tasks that halt their keys and no others, or no such tasks. */
    private boolean choosesByHalting() {
        OperationViews.Selection from = operation.selection();
        return "skip".equals(operation.action())
                || "delete".equals(operation.action()) && from != null && from.halting() == null;
    }

    /** Returns the group of dead tasks on the page of the queue; null if the operation is not for one. */
    @Nullable
    String group() {
        OperationViews.Selection from = operation.selection();
        return from == null || from.fingerprint() == null
                ? null
                : Links.dead(operation.queue()) + "#group-" + from.fingerprint();
    }

    /** Returns whether tasks may have died again: whether it retries dead ones. The command has the same rule. */
    boolean retriesDead() {
        OperationViews.Selection from = operation.selection();
        return "retry".equals(operation.action())
                && !operation.onlyCounts()
                && from != null
                && from.states().contains(DEAD);
    }

    /** Returns the list of the tasks that died since the operation began, of whatever error. */
    String diedSince() {
        return list(DEAD, null, behind());
    }

    /** Returns the same of the error of the operation; null if it is not for a group. */
    @Nullable
    String diedSinceInGroup() {
        OperationViews.Selection from = operation.selection();
        return from == null || from.fingerprint() == null ? null : list(DEAD, from.fingerprint(), behind());
    }

    /** Returns when its first whole millisecond began. In the one in which it began, tasks may have died that it does not take. */
    private String behind() {
        return operation.began().plusMillis(1).toString();
    }

    private String list(String state, @Nullable String fingerprint, @Nullable String diedAfter) {
        OperationViews.Selection from = operation.selection();
        Choice choice = from == null
                ? new Choice(state)
                : new Choice(state, from.partition(), from.key(), from.type(), from.id(), fingerprint, diedAfter);
        return Links.tasks(operation.queue(), choice, null);
    }

    /** Returns since when its tasks died. In an operation that may count from when it began, in an address it may not. */
    private @Nullable String instant(OperationViews.Selection from) {
        return from.diedAfter() == null
                ? null
                : Instant.ofEpochMilli(OperationTime.millis(
                                "died-after",
                                from.diedAfter(),
                                operation.began().toEpochMilli(),
                                0))
                        .toString();
    }
}
