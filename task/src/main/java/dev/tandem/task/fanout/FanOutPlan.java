package dev.tandem.task.fanout;

/**
 * The description of a fan-out that its master gives when it begins.
 *
 * @param queue the queue of the master
 * @param master the place of the master: its partition and position
 * @param masterId the id of the master's task
 * @param type the type of the master
 * @param parent the subtask that the master is: id and number; "" if it is none
 * @param depth how many fan-outs there are around a subtask, 1 or more
 * @param rule when failures stop the rest
 * @param mayFail with {@link Rule#PARTIAL}: the share of the subtasks that may fail, 0 to 1
 * @param finalQueue the queue of the final task; "" if there is none
 * @param finalTask the envelope of the final task; empty if there is none
 * @param keepMillis for how long the fan-out is kept after its end
 * @param maxOpen how many fan-outs of one bucket may be open
 */
public record FanOutPlan(
        String queue,
        String master,
        String masterId,
        String type,
        String parent,
        int depth,
        Rule rule,
        double mayFail,
        String finalQueue,
        byte[] finalTask,
        long keepMillis,
        int maxOpen) {

    /** The rules by which failed subtasks keep the others from running. */
    public enum Rule {
        /** Never. */
        COMPLETE,
        /** At the first failure. */
        FAIL_FAST,
        /** When more of them have failed than may, which is known when the stream has ended. */
        PARTIAL
    }
}
