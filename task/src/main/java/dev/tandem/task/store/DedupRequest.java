package dev.tandem.task.store;

import dev.tandem.task.Position;

/**
 * A request about one deduplication key of a queue. It may be repeated: tasks are known by where they are, and nothing is
 * counted.
 */
public sealed interface DedupRequest {

    /** Returns the deduplication key. */
    String key();

    /** Returns the task that has the key. */
    Bearer task();

    /** Begins the identity of a message to which its publisher gave an id. */
    String NAMED = "m";

    /**
     * A task with a deduplication key.
     *
     * @param partition the name of its partition
     * @param identity what it is recognised by if its broker delivers it again under another position; "" for nothing
     * @param named whether no two messages have the same identity, because it is the id that the publisher gave
     * @param surelyNew whether the broker says that it was never delivered before
     * @param name its id, for people
     * @param token the fencing token of its run; 0 if it does not run
     */
    record Bearer(
            String partition,
            Position position,
            String identity,
            boolean named,
            boolean surelyNew,
            String name,
            long token) {

        /** Describes the task at a position. */
        public static Bearer of(String partition, Position position, boolean surelyNew, String name) {
            String text = position.text();
            int colon = text.indexOf(':');
            if (text.indexOf('.', colon) < 0) {
                // A record that is read again after its log began anew has another incarnation.
                return new Bearer(
                        partition, position, partition + "/" + text.substring(colon + 1), false, false, name, 0);
            }
            String identity = text.substring(0, Math.max(0, colon));
            return new Bearer(partition, position, identity, identity.startsWith(NAMED), surelyNew, name, 0);
        }

        /** Returns the task in a run. */
        public Bearer inRun(long itsToken) {
            return new Bearer(partition, position, identity, named, surelyNew, name, itsToken);
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

    /**
     * A task has come, or is about to run. Answered with any {@link DedupAnswer} but {@link DedupAnswer.Noted}.
     *
     * @param begins whether the task is about to run. Only then is it answered that it must wait
     * @param delayMillis the time until it is due
     */
    record Ask(String key, Bearer task, boolean begins, long delayMillis, DedupPolicy policy) implements DedupRequest {}

    /**
     * A task has ended, or will run later. Answered with {@link DedupAnswer.Noted}.
     *
     * @param delayMillis with {@link Ending#LATER}: the time until then
     * @param keptMillis for how long the end is remembered at least; ten minutes count in any case
     */
    record Tell(String key, Bearer task, Ending ending, long delayMillis, long keptMillis) implements DedupRequest {

        /** An end that is remembered for as long as was said of the task before. */
        public Tell(String key, Bearer task, Ending ending, long delayMillis) {
            this(key, task, ending, delayMillis, 0);
        }
    }

    /** How a run with a deduplication key ended. */
    enum Ending {
        SUCCEEDED,
        /** The task is dead or cancelled. */
        FAILED,
        /** The task waits for another run. */
        LATER
    }
}
