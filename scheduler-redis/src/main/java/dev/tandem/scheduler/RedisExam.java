package dev.tandem.scheduler;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Facts about one Redis, which was asked for them.
 *
 * @param node its address, without a password
 * @param failure why it could not be asked, in which case nothing else is known; null if it answered
 * @param version empty if unknown
 * @param errors why Tandem does not use it
 * @param warnings what is unknown, or should be changed
 * @param replicas how many are connected and in step
 * @param replicasRequired how many must confirm by the settings; 0 if those say nothing
 * @param usedBytes as Redis compares it with its limit
 * @param maxBytes {@code maxmemory}; 0 for none
 * @param hasRoom whether it takes more tasks
 * @param aheadMillis how far its clock is ahead of this machine's
 * @param roundTripMillis how exact that is
 * @param refused commands that its user may not use; null if it cannot tell
 */
public record RedisExam(
        String node,
        @Nullable String failure,
        String version,
        List<Complaint> errors,
        List<Complaint> warnings,
        int replicas,
        int replicasRequired,
        long usedBytes,
        long maxBytes,
        boolean hasRoom,
        long aheadMillis,
        long roundTripMillis,
        @Nullable List<String> refused) {

    /** Returns the exam of a Redis that could not be asked. */
    public static RedisExam failed(String node, String why) {
        return new RedisExam(node, why, "", List.of(), List.of(), 0, 0, 0, 0, true, 0, 0, null);
    }
}
