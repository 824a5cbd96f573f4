package dev.tandem.task.store;

import dev.tandem.task.Position;

/**
 * Where a task is, and what it is recognised by if its broker delivers it again.
 *
 * @param partition the name of its partition
 * @param identity what it is recognised by if its broker delivers it again under another position; "" for nothing
 * @param named whether no two messages have the same identity, because it is the id that the publisher gave
 * @param surelyNew whether the broker says that it was never delivered before
 * @param name its id, for people
 * @param token the fencing token of its run; 0 if it does not run
 */
public record TaskIdentity(
        String partition,
        Position position,
        String identity,
        boolean named,
        boolean surelyNew,
        String name,
        long token) {

    /** Begins the identity of a message to which its publisher gave an id. */
    public static final String NAMED = "m";

    /** Describes the task at a position. */
    public static TaskIdentity of(String partition, Position position, boolean surelyNew, String name) {
        String text = position.text();
        int colon = text.indexOf(':');
        if (text.indexOf('.', colon) < 0) {
            // A record that is read again after its log began anew has another incarnation.
            return new TaskIdentity(
                    partition, position, partition + "/" + text.substring(colon + 1), false, false, name, 0);
        }
        String identity = text.substring(0, Math.max(0, colon));
        return new TaskIdentity(partition, position, identity, identity.startsWith(NAMED), surelyNew, name, 0);
    }

    /** Returns the task in a run. */
    public TaskIdentity inRun(long itsToken) {
        return new TaskIdentity(partition, position, identity, named, surelyNew, name, itsToken);
    }

    /** Whether the identity says where the task is in its log, whatever the incarnation of that. */
    public boolean isRecord() {
        return identity.startsWith(partition + "/");
    }

    /** Returns where the task is. */
    public String place() {
        return partition + "/" + position.text();
    }
}
