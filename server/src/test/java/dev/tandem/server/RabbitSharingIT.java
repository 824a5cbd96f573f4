package dev.tandem.server;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import tools.jackson.databind.JsonNode;

/** Servers share the sub-queues of a RabbitMQ queue among themselves. */
@Execution(ExecutionMode.CONCURRENT)
class RabbitSharingIT {

    private static final int PARTITIONS = 6;
    private static final int KEYS = 60;

    @Test
    void serversShareEvenlyAndNoTaskRunsTwiceOrOutOfOrder() throws Exception {
        String queue = UniqueNames.fresh("shared");
        try (RecordingEndpoint endpoint = new RecordingEndpoint();
                Connection connection = Brokers.rabbit().connect();
                Channel channel = connection.createChannel()) {
            Map<String, String> settings = settings(queue, endpoint);
            CompletableFuture<RunningServer> starting =
                    CompletableFuture.supplyAsync(() -> new RunningServer(settings));
            try (RunningServer first = new RunningServer(settings);
                    RunningServer second = starting.join()) {
                awaitShares(first, queue, 3, 3);
                channel.confirmSelect();
                int sent;
                try (RunningServer third = new RunningServer(settings)) {
                    sent = sendUntilShared(channel, queue, 0, third, 2, 2, 2);
                }
                sent = sendUntilShared(channel, queue, sent, second, 3, 3);
                awaitCalls(endpoint, sent);
                assertEachRanOnceInOrder(endpoint, sent);
            }
        }
    }

    private static Map<String, String> settings(String queue, RecordingEndpoint endpoint) {
        String at = "tandem.queues." + queue + ".";
        Map<String, String> settings = RunningServer.settings("rabbit");
        settings.put(at + "source", "rabbit");
        settings.put(at + "ordering", "key");
        settings.put(at + "partitions", Integer.toString(PARTITIONS));
        settings.put(at + "handler", "http");
        settings.put(at + "http.url", endpoint.url());
        return settings;
    }

    private static void awaitShares(RunningServer server, String queue, long... shares) {
        await("shares")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(shares(server, queue))
                        .containsExactlyElementsOf(Arrays.stream(shares).boxed().toList()));
    }

    /** Sends tasks until the partitions are shared as expected. @return the number of the next task of each key */
    private static int sendUntilShared(Channel channel, String queue, int from, RunningServer server, long... shares)
            throws Exception {
        List<Long> wanted = Arrays.stream(shares).boxed().toList();
        long end = System.nanoTime() + PATIENCE.toNanos();
        int next = from;
        List<Long> now;
        do {
            send(channel, queue, next++);
            now = shares(server, queue);
        } while (!now.equals(wanted) && System.nanoTime() < end);
        assertThat(now).as("shares").isEqualTo(wanted);
        send(channel, queue, next++);
        return next;
    }

    /** Returns how many partitions each owner has. */
    private static List<Long> shares(RunningServer server, String queue) {
        Map<String, Long> shares = new LinkedHashMap<>();
        for (JsonNode partition : server.get("/api/v1/queues/" + queue).json().path("partitions")) {
            shares.merge(partition.path("owner").asString(""), 1L, Long::sum);
        }
        return List.copyOf(shares.values());
    }

    /** Sends one more task of each key. */
    private static void send(Channel channel, String queue, int number) throws Exception {
        for (int key = 0; key < KEYS; key++) {
            AMQP.BasicProperties properties = new AMQP.BasicProperties.Builder()
                    .deliveryMode(2)
                    .messageId("k" + key + "-" + number)
                    .headers(Map.of("tandem-key", "k" + key))
                    .build();
            channel.basicPublish("tandem", queue, true, properties, "{}".getBytes(StandardCharsets.UTF_8));
        }
        channel.waitForConfirmsOrDie(PATIENCE.toMillis());
    }

    private static void awaitCalls(RecordingEndpoint endpoint, int perKey) {
        await("all tasks")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(IntStream.range(0, KEYS)
                                .filter(key -> endpoint.calls("k" + key + "-" + (perKey - 1))
                                        .isEmpty()))
                        .isEmpty());
    }

    private static void assertEachRanOnceInOrder(RecordingEndpoint endpoint, int perKey) {
        for (int key = 0; key < KEYS; key++) {
            String name = "k" + key;
            List<String> expected = new ArrayList<>();
            IntStream.range(0, perKey).forEach(number -> expected.add(name + "-" + number));
            assertThat(endpoint.callsOfKey(name))
                    .extracting(RecordingEndpoint.Call::id)
                    .containsExactlyElementsOf(expected);
        }
    }
}
