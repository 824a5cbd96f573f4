package dev.tandem.kafka;

import dev.tandem.task.FailureText;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Explains exceptions of Kafka's clients in sentences that say what to do. */
final class KafkaErrors {

    private KafkaErrors() {}

    static String explain(Throwable problem) {
        if (problem instanceof TimeoutException && problem.getCause() instanceof UnknownTopicOrPartitionException) {
            return explain(problem.getCause());
        }
        if (problem instanceof TimeoutException) {
            return "no broker answered in time (" + problem.getMessage()
                    + "): check the address, and that a broker runs there";
        }
        if (problem instanceof AuthorizationException) {
            return problem.getMessage()
                    + ": a consumer needs READ on the topic and the group (and CREATE if the topic is missing), a"
                    + " publisher needs WRITE on the topic";
        }
        if (problem instanceof UnknownTopicOrPartitionException) {
            return "the topic does not exist: create it, or start an executor of the queue, which does";
        }
        if (problem instanceof RecordTooLargeException) {
            return problem.getMessage()
                    + ": raise max.message.bytes of the topic, or send a reference instead of the data";
        }
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return FailureText.of(root);
    }

    /** Returns the cause behind the wrappers that futures add. */
    static Throwable unwrap(Throwable problem) {
        Throwable current = problem;
        while ((current instanceof CompletionException || current instanceof ExecutionException)
                && current.getCause() != null) {
            current = current.getCause();
        }
        return current;
    }
}
