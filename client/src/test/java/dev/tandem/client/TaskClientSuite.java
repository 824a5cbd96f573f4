package dev.tandem.client;

import static dev.tandem.api.TaskOptions.cloudEvent;
import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.api.TaskOptions.id;
import static dev.tandem.api.TaskOptions.maxAttempts;
import static dev.tandem.api.TaskOptions.timeout;
import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.task.Task;
import dev.tandem.testkit.BrokerProxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of what a client promises, over each broker. */
abstract class TaskClientSuite {

    record Ship(String order, int items) {}

    private TestBroker broker;

    abstract TestBroker open();

    @BeforeEach
    void openBroker() {
        broker = open();
    }

    @AfterEach
    void closeBroker() {
        broker.close();
    }

    private TaskRequest<?> task(String key, Object payload) {
        return TaskRequest.of(broker.queue(), "ship", payload).withKey(key);
    }

    @Test
    void anAcceptedTaskIsThereWithEverythingThatWasSaidOfIt() throws Exception {
        long before = System.currentTimeMillis();
        String given;
        try (TaskClient client = broker.client().build()) {
            given = client.submit(task("c-é", new Ship("o-7", 2))
                            .with(
                                    delay("5m"),
                                    timeout("30s"),
                                    maxAttempts(3),
                                    TaskOptions.dedupKey("pay-7"),
                                    header("x-tenant", "acmé")))
                    .await(PATIENCE)
                    .id();
            client.submit(task(null, new byte[] {1, 2}).with(id("o-8"))).await(PATIENCE);
        }

        Map<String, Task> read = new LinkedHashMap<>();
        broker.read(2).forEach(each -> read.put(each.id(), each));
        Task ship = read.get(given);
        assertThat(ship.type()).isEqualTo("ship");
        assertThat(ship.key()).isEqualTo("c-é");
        assertThat(new String(ship.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"order\":\"o-7\",\"items\":2}");
        assertThat(ship.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("x-tenant", "acmé");
        assertThat(ship.notBefore()).isBetween(before + 300_000, System.currentTimeMillis() + 300_000);
        assertThat(ship.timeoutMillis()).isEqualTo(30_000);
        assertThat(ship.maxAttempts()).isEqualTo(3);
        assertThat(ship.dedupKey()).isEqualTo("pay-7");
        Task plain = read.get("o-8");
        assertThat(plain.key()).isNull();
        assertThat(plain.payload()).containsExactly(1, 2);
        assertThat(plain.notBefore()).isZero();
        assertThat(plain.headers()).containsEntry("content-type", "application/octet-stream");
    }

    @ParameterizedTest
    @EnumSource
    void aTaskThatIsPublishedAsACloudEventIsReadAsTheSameTask(CloudEventMode mode) throws Exception {
        try (TaskClient client = broker.client().build()) {
            client.submit(task("c-é", new Ship("o-7", 2))
                            .with(id("o-7"), delay("5m"), cloudEvent("/shop", mode), header("x-tenant", "acme")))
                    .await(PATIENCE);
        }

        Task read = broker.read(1).get(0);
        assertThat(List.of(read.id(), read.type(), read.key())).containsExactly("o-7", "ship", "c-é");
        assertThat(new String(read.payload(), StandardCharsets.UTF_8)).isEqualTo("{\"order\":\"o-7\",\"items\":2}");
        assertThat(read.notBefore()).isPositive();
        assertThat(read.headers())
                .containsEntry("content-type", "application/json")
                .containsEntry("x-tenant", "acme")
                .anySatisfy((name, value) -> {
                    assertThat(name).matches("(ce_|cloudEvents:)source");
                    assertThat(value).isEqualTo("/shop");
                })
                .anySatisfy((name, value) -> {
                    assertThat(name).matches("(ce_|cloudEvents:)partitionkey");
                    assertThat(value).isEqualTo("c-é");
                });
    }

    @Test
    void theTasksOfAKeyAreAcceptedInTheOrderInWhichOneThreadSubmitsThem() {
        int tasks = 10_000;
        int keys = 20;
        List<TaskRef<?>> refs = new ArrayList<>();
        try (TaskClient client = broker.client().build()) {
            for (int from = 0; from < tasks; from += 1_000) {
                List<TaskRequest<?>> next = new ArrayList<>();
                for (int i = from; i < from + 1_000; i++) {
                    next.add(task("key-" + i % keys, Integer.toString(i)));
                }
                if (from % 2_000 == 0) {
                    refs.addAll(client.submitAll(next));
                } else {
                    next.forEach(each -> refs.add(client.submit(each)));
                }
            }
        }

        assertThat(refs).allSatisfy(each -> assertThat(each.accepted()).isCompleted());
        Map<String, List<Integer>> byKey = new LinkedHashMap<>();
        broker.read(tasks)
                .forEach(each -> byKey.computeIfAbsent(each.key(), key -> new ArrayList<>())
                        .add(Integer.parseInt(new String(each.payload(), StandardCharsets.UTF_8))));
        assertThat(byKey).hasSize(keys);
        byKey.forEach((key, numbers) -> {
            int first = Integer.parseInt(key.substring("key-".length()));
            assertThat(numbers)
                    .as(key)
                    .isEqualTo(IntStream.range(0, tasks / keys)
                            .mapToObj(i -> first + i * keys)
                            .toList());
        });
    }

    @Test
    void aTaskThatIsTooLargeIsRefusedAtOnceAndItsBatchWithIt() throws Exception {
        try (TaskClient client = broker.clientWithMaxPayload(10).build()) {
            assertThatThrownBy(() -> client.submitAll(List.of(task("k", "small"), task("k", "eleven bytes"))))
                    .isInstanceOf(InvalidTaskException.class)
                    .hasMessageContaining("over the limit of 10 bytes")
                    .hasMessageContaining("raise tandem.max-payload");
            client.submit(task("k", "last")).await(PATIENCE);
        }
        assertThat(broker.read(1))
                .extracting(each -> new String(each.payload(), StandardCharsets.UTF_8))
                .containsExactly("last");
    }

    @Test
    void aTaskWithoutAPlaceAtTheBrokerFails() {
        try (TaskClient client = broker.clientOfAMissingPlace().build()) {
            // A slow broker may not answer within the short limit of the first submissions.
            await().atMost(PATIENCE).untilAsserted(() -> {
                TaskRef<?> ref =
                        client.submit(TaskRequest.of("nowhere", "ship", null).withKey("k"));
                assertThatThrownBy(() -> ref.await(PATIENCE))
                        .isExactlyInstanceOf(SubmitException.class)
                        .hasMessageContaining(broker.missingPlace());
            });
        }
    }

    @Test
    void submissionsFailWhileTheBrokerIsAwayAndSucceedWhenItIsBack() throws Exception {
        try (BrokerProxy proxy = broker.proxy();
                TaskClient client = broker.clientThrough(proxy).build()) {
            client.submit(task("k", "1")).await(PATIENCE);
            proxy.down();
            TaskRef<?> lost = client.submit(task("k", "2"));
            assertThatThrownBy(() -> lost.await(PATIENCE)).isExactlyInstanceOf(SubmitException.class);

            proxy.up();

            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(SubmitException.class)
                    .until(() -> client.submit(task("k", "3")).await(PATIENCE) != null);
        }
        assertThat(broker.read(2))
                .extracting(each -> new String(each.payload(), StandardCharsets.UTF_8))
                .startsWith("1", "3");
    }

    @Test
    void closingWaitsForWhatIsUnderWay() {
        List<TaskRef<?>> refs = new ArrayList<>();
        TaskClient client = broker.client().build();
        for (int i = 0; i < 500; i++) {
            refs.add(client.submit(task("k", "x")));
        }

        client.close();

        assertThat(refs).allSatisfy(each -> assertThat(each.accepted()).isCompleted());
        assertThatThrownBy(() -> client.submit(task("k", "x"))).hasMessageContaining("this client is closed");
    }
}
