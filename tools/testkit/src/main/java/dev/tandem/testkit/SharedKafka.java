package dev.tandem.testkit;

import static org.awaitility.Awaitility.await;

import dev.tandem.local.LocalKafka;
import dev.tandem.local.PortReservations;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** A Kafka that tests share, with an admin client. Thread-safe. */
public final class SharedKafka {

    private static final int TIMEOUT_SECONDS = 30;

    private final LocalKafka kafka;
    private final Admin admin;
    private final int proxiedListener = PortReservations.reserve();
    private final int proxyPort = PortReservations.reserve();

    SharedKafka() {
        // Tests that kill many members need shorter sessions than Kafka allows by default.
        kafka = LocalKafka.builder()
                .setting("group.min.session.timeout.ms", "1000")
                .proxiedListener(proxiedListener, proxyPort)
                .start();
        admin = Admin.create(Map.of("bootstrap.servers", kafka.address()));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> admin.close(Duration.ZERO), "close-admin"));
    }

    /** Returns the value for {@code bootstrap.servers}. */
    public String bootstrapServers() {
        return kafka.address();
    }

    /** Starts a proxy in front of this Kafka. There can be one at a time. Close it. */
    public BrokerProxy proxy() {
        return new BrokerProxy(proxyPort, proxiedListener);
    }

    /** Returns the shared admin client. Do not close it. */
    public Admin admin() {
        return admin;
    }

    /** Creates a topic with a unique name that begins with this, and returns the name. */
    public String topic(String prefix, int partitions) {
        String name = UniqueNames.fresh(prefix);
        createTopic(name, partitions);
        return name;
    }

    /** Creates a topic and waits until all its partitions have a leader. */
    public void createTopic(String name, int partitions) {
        createTopic(admin, name, partitions);
    }

    /** Creates a topic on a Kafka of the test's own, and waits until all its partitions have a leader. */
    public static void createTopic(Admin admin, String name, int partitions) {
        try {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1)))
                    .all()
                    .get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("The topic " + name + " could not be created: " + e, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the topic " + name + " was created", e);
        }
        // The controller answers. The broker learns of the topic a little later.
        await("leaders of topic " + name)
                .atMost(Duration.ofSeconds(TIMEOUT_SECONDS))
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(10))
                .until(() -> hasLeaders(admin, name, partitions));
    }

    private static boolean hasLeaders(Admin admin, String name, int partitions) throws Exception {
        try {
            List<TopicPartitionInfo> found = Objects.requireNonNull(admin.describeTopics(List.of(name))
                            .allTopicNames()
                            .get(TIMEOUT_SECONDS, TimeUnit.SECONDS)
                            .get(name))
                    .partitions();
            return found.size() == partitions
                    && found.stream()
                            .allMatch(each ->
                                    each.leader() != null && !each.leader().isEmpty());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof UnknownTopicOrPartitionException) {
                return false;
            }
            throw e;
        }
    }

    @Override
    public String toString() {
        return kafka.toString();
    }
}
