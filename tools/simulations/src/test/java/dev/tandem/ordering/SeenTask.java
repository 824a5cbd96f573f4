package dev.tandem.ordering;

import dev.tandem.task.Position;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * One task in one incarnation of its log, and all that the oracle has seen of it.
 *
 * <p>Places are numbers in the order in which the tasks of a partition came; -1: none.
 */
final class SeenTask {
    final Position position;
    final SimTask task;
    final long incarnation;

    /** Its position is another task's by now. */
    boolean retired;
    /** A handler of it has begun. */
    boolean begun;
    /** A task that has succeeded or is dead, as the store recorded. */
    boolean ended;
    /** A handler said that it succeeded, whether that was recorded or not. */
    boolean done;
    /** The processes in which it succeeded, with the token of that run. */
    final Map<SimProcess, Long> doneAt = new HashMap<>();
    /** The write that recorded its success; -1 if none did or the store has forgotten it. */
    long successAt = -1;

    /** The token of its last claim. */
    long token;
    /** The write that recorded the claim under that token. */
    long claimedAt = -1;
    /** Tokens of claims that the store has forgotten. */
    final Set<Long> forgotten = new HashSet<>();

    /** Its place in its lane. */
    long entered = -1;
    /** Its place in the owner's memory since the store offered it. */
    long offeredAt = -1;
    /** Its place in the owner's memory since the broker delivered it, due. */
    long deliveredAt = -1;
    /** Its place when it was delivered before it was due: if the owner kept it in memory, it may have entered since. */
    long enteredAtBest = -1;
    /** An earlier place that the owner may know: of an offer or a claim that the store forgot, or since it was due. */
    long knownEarlier = -1;
    /** The broker delivered it to the owner. */
    boolean delivered;
    /** The store offered it before the broker had delivered all again that former owners had: it waits for that. */
    boolean early;

    SeenTask(Position position, SimTask task, long incarnation) {
        this.position = position;
        this.task = task;
        this.incarnation = incarnation;
    }

    @Override
    public String toString() {
        return position + "=" + task;
    }
}
