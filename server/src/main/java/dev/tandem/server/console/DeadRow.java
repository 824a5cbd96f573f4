package dev.tandem.server.console;

import dev.tandem.server.api.DeadGroupViews.Group;
import dev.tandem.server.api.TaskReader.Choice;

/** A group of the dead tasks of a queue, as a row of a page. */
record DeadRow(String queue, Group group) {

    /** Returns the list of its tasks. */
    String tasks() {
        return Links.tasks(queue, choice(), null);
    }

    /** Returns the route of a change of all its tasks. */
    String operation(String action) {
        return Links.operation(queue, action, choice());
    }

    private Choice choice() {
        return new Choice("dead", null, null, null, null, group.hasAllOthers() ? null : group.fingerprint(), null);
    }
}
