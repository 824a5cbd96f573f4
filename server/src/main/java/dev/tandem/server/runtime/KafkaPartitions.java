package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.server.inspect.TopicPartitions;
import dev.tandem.server.inspect.UnavailableException;
import dev.tandem.task.FailureText;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Asks Kafka for the partitions of topics, and adds some. Seldom, so each call has a client of its own. */
final class KafkaPartitions implements TopicPartitions {

    private static final long TIMEOUT_MILLIS = 15_000;

    private final TandemSettings settings;

    KafkaPartitions(TandemSettings settings) {
        this.settings = settings;
    }

    /** A question to Kafka. */
    private interface Question<T> {
        KafkaFuture<T> ask(Admin admin, String topic);
    }

    @Override
    public int count(String queue) {
        return ask(
                queue,
                (admin, topic) -> Objects.requireNonNull(admin.describeTopics(List.of(topic))
                                .topicNameValues()
                                .get(topic))
                        .thenApply(found -> found.partitions().size()));
    }

    @Override
    public void grow(String queue, int to) {
        ask(
                queue,
                (admin, topic) -> admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(to)))
                        .all());
    }

    private <T> T ask(String queue, Question<T> question) {
        QueueSettings queueSettings = Objects.requireNonNull(settings.queues().get(queue));
        String topic = queueSettings.effectiveTopic(queue);
        try (Admin admin = KafkaBacklog.admin(settings.kafka(), TIMEOUT_MILLIS)) {
            return question.ask(admin, topic).get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            // A missing topic is an error of this kind too.
            if (cause instanceof RetriableException && !(cause instanceof UnknownTopicOrPartitionException)) {
                throw new UnavailableException("Kafka does not answer: " + FailureText.of(cause), cause);
            }
            throw new RefusedException("Kafka says of topic " + topic + ": " + FailureText.of(cause));
        } catch (TimeoutException | KafkaException e) {
            throw new UnavailableException("Kafka does not answer: " + FailureText.of(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UnavailableException("Interrupted", e);
        }
    }
}
