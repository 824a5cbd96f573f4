package dev.tandem.kafka;

import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka's exceptions as sentences that say what to do. */
final class Problems {

    private Problems() {}

    static String explain(Throwable problem) {
        if (problem instanceof TimeoutException) {
            return "no broker answered in time (" + problem.getMessage()
                    + "): check the address, and that a broker runs there";
        }
        if (problem instanceof AuthorizationException) {
            return problem.getMessage()
                    + ": a consumer needs READ on the topic and the group (and CREATE on a topic that is missing), a"
                    + " publisher WRITE on the topic";
        }
        if (problem instanceof UnknownTopicOrPartitionException) {
            return "the topic does not exist: create it";
        }
        if (problem instanceof RecordTooLargeException) {
            return problem.getMessage()
                    + ": raise max.message.bytes of the topic, or send a reference instead of the data";
        }
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage();
        String name = root.getClass().getSimpleName();
        return message == null || message.isBlank() ? name : message + " (" + name + ")";
    }
}
