package dev.tandem.kafka;

import dev.tandem.task.FailureText;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Explains exceptions of Kafka's clients in sentences that say what to do. */
final class KafkaErrors {

    private static final String ADVICE = "kafka-acls.sh --add, as docs/security.md has it";

    private KafkaErrors() {}

    /** Explains a problem with one topic, which Kafka does not always name. */
    static String explain(Throwable problem, String topic) {
        if (problem instanceof TopicAuthorizationException denied
                && denied.unauthorizedTopics().isEmpty()) {
            return explain(new TopicAuthorizationException(Set.of(topic)));
        }
        return explain(problem);
    }

    static String explain(Throwable problem) {
        if (problem instanceof TimeoutException && problem.getCause() instanceof UnknownTopicOrPartitionException) {
            return explain(problem.getCause());
        }
        if (problem instanceof TimeoutException) {
            return "no broker answered in time (" + problem.getMessage()
                    + "): check the address, and that a broker runs there";
        }
        if (problem instanceof TopicAuthorizationException denied
                && !denied.unauthorizedTopics().isEmpty()) {
            return "the broker denies access to the topic "
                    + denied.unauthorizedTopics().stream().sorted().collect(Collectors.joining("', '", "'", "'"))
                    + ": to run its tasks the user needs Read and DescribeConfigs, to submit some Write, and while it is"
                    + " missing Create (" + ADVICE + ")";
        }
        if (problem instanceof GroupAuthorizationException denied && denied.groupId() != null) {
            return "the broker denies access to the consumer group '" + denied.groupId()
                    + "': to run tasks the user needs Read on it (" + ADVICE + ")";
        }
        if (problem instanceof SaslAuthenticationException) {
            return "the broker refuses the login (" + FailureText.of(problem)
                    + "): check sasl.mechanism and sasl.jaas.config in tandem.kafka.properties";
        }
        if (problem instanceof SslAuthenticationException) {
            return "the connection with TLS is refused (" + FailureText.of(root(problem))
                    + "): check ssl.truststore.location, which has to have the CA of the broker's certificate, and"
                    + " ssl.keystore.location in tandem.kafka.properties";
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
        return FailureText.of(root(problem));
    }

    /** Whether the brokers can be reached, and do not let this user have what was asked for. */
    static boolean isRefusal(Throwable problem) {
        return problem instanceof AuthorizationException;
    }

    private static Throwable root(Throwable problem) {
        Throwable root = problem;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
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
