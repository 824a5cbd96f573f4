package dev.tandem.client;

import static dev.tandem.api.TaskOptions.delay;
import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.api.TaskOptions.id;
import static dev.tandem.api.TaskOptions.maxAttempts;
import static dev.tandem.api.TaskOptions.timeout;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.SubmitException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRef;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskTexts;
import dev.tandem.client.TandemClient.Route;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.rabbit.RabbitSettings;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TandemClientTest {

    private static final Instant NOW = Instant.parse("2026-11-22T10:00:00Z");
    private static final Duration WAIT = Duration.ofMillis(1);

    record Ship(int n) {}

    private final FakePublisher publisher = new FakePublisher();
    private final TaskClient client = TandemClient.builder()
            .queue("orders", new Route(publisher, true))
            .queue("mail", new Route(publisher, false))
            .build(() -> NOW);

    private static TaskRequest<?> ship(String key) {
        return TaskRequest.of("orders", "ship", new Ship(7)).withKey(key);
    }

    @Test
    void aRequestBecomesATaskWithEverythingThatItSays() {
        TaskRef<?> ref = client.submit(ship("c-7")
                .with(
                        delay("5m"),
                        timeout("30s"),
                        maxAttempts(3),
                        TaskOptions.dedupKey("d"),
                        header("x", "y"),
                        id("o-7")));

        assertThat(publisher.sent)
                .singleElement()
                .satisfies(task -> assertThat(task)
                        .usingRecursiveComparison()
                        .isEqualTo(new Task(
                                "o-7",
                                "orders",
                                "ship",
                                "c-7",
                                "{\"n\":7}".getBytes(StandardCharsets.UTF_8),
                                Map.of("x", "y", "content-type", "application/json"),
                                0,
                                NOW.plusSeconds(300).toEpochMilli(),
                                30_000,
                                3,
                                "d")));
        assertThat(ref.id()).isEqualTo("o-7");
        assertThat(ref.queue()).isEqualTo("orders");
    }

    @Test
    void bytesAndTextStayAsTheyAreAndATypeOfContentThatIsGivenCounts() {
        byte[] bytes = {0, 1};
        client.submit(TaskRequest.of("orders", "a", bytes));
        client.submit(TaskRequest.of("orders", "a", "é"));
        client.submit(TaskRequest.of("orders", "a", "{}").with(header("content-type", "application/json")));
        client.submit(TaskRequest.of("orders", "a", null));

        assertThat(publisher.sent.get(0).payload()).isSameAs(bytes);
        assertThat(publisher.sent.get(1).payload()).isEqualTo("é".getBytes(StandardCharsets.UTF_8));
        assertThat(publisher.sent.get(3).payload()).isEmpty();
        assertThat(publisher.sent.stream().map(each -> each.headers().getOrDefault("content-type", "none")))
                .containsExactly("application/octet-stream", "text/plain;charset=UTF-8", "application/json", "none");
    }

    @Test
    void idsThatAreNotGivenDifferBetweenTasksAndClients() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            ids.add(client.submit(ship(null)).id());
        }
        TaskClient other = TandemClient.builder()
                .queue("orders", new Route(publisher, true))
                .build();
        ids.add(other.submit(ship(null)).id());

        assertThat(ids).hasSize(1_001).allSatisfy(each -> assertThat(each).hasSizeBetween(3, 17));
        assertThat(publisher.ids()).containsExactlyInAnyOrderElementsOf(ids);
    }

    /** What the API lets through must be readable for an executor, with Tandem's own headers beside it. */
    @Test
    void theBoundsOfTheApiAreThoseOfMessages() {
        assertThat(TaskTexts.MAX_KEY).isEqualTo(TaskHeaders.MAX_KEY);
        assertThat(TaskTexts.MAX_ID).isEqualTo(TaskHeaders.MAX_ID);
        assertThat(TaskTexts.MAX_TYPE).isEqualTo(TaskHeaders.MAX_TYPE);
        Map<String, String> headers = new HashMap<>();
        int valueBytes = TaskTexts.MAX_HEADER_BYTES / TaskTexts.MAX_HEADERS - 4;
        for (int i = 0; i < TaskTexts.MAX_HEADERS; i++) {
            headers.put("h" + (100 + i), "v".repeat(valueBytes));
        }
        String longest = "i".repeat(TaskTexts.MAX_ID);
        client.submit(new TaskRequest<>(
                "orders",
                "t".repeat(TaskTexts.MAX_TYPE),
                "k".repeat(TaskTexts.MAX_KEY),
                null,
                new TaskOptions(longest, null, NOW, Duration.ofDays(366), 1_000_000, longest, headers)));
        Task task = publisher.sent.get(0);
        for (TaskHeaders.Binding binding : TaskHeaders.Binding.values()) {
            List<TaskHeaders.Field> fields = new ArrayList<>();
            TaskHeaders.write(task, (name, value) -> fields.add(new TaskHeaders.Field(name, value)));
            fields.add(TaskHeaders.Field.of(TaskHeaders.KEY, "k".repeat(TaskTexts.MAX_KEY)));
            TaskHeaders.Origin origin = new TaskHeaders.Origin(null, null, null, null, 0, 0);
            assertThat(new TaskHeaders("orders", binding, 1)
                            .read(fields, origin, task.payload())
                            .unreadable())
                    .isNull();
        }
    }

    @Test
    void misuseFailsAtOnceAndSaysWhatToDo() {
        assertRefused(
                TaskRequest.of("oders", "ship", null), "The queue 'oders' is not among the queues", "[orders, mail]");
        assertRefused(
                TaskRequest.of("mail", "m", null).withKey("c"),
                "key 'c', but the queue 'mail' has no order (ordering: none)",
                "leave the key out",
                "tandem.queues.mail.ordering: key",
                ".queue(\"mail\").setting(\"ordering\", \"key\")",
                "orderedByHeader()");
        assertRefused(ship(""), "The task's key is empty", "null for none");
        assertRefused(ship("é".repeat(513)), "The task's key has 1026 bytes: at most 1024");
        assertRefused(ship("a\0b"), "control character U+0000 at index 1");
        assertRefused(ship("a\ud800"), "half of a surrogate pair at index 1");
        assertRefused(TaskRequest.of("orders", "t".repeat(201), null), "The task's type has 201 bytes");
        assertRefused(ship("k").with(id("i".repeat(513))), "The task's id has 513 bytes");
        assertRefused(ship("k").with(TaskOptions.dedupKey("\n")), "The task's dedupKey", "U+000A");
        assertRefused(ship("k").with(header("", "v")), "header name is empty");
        assertRefused(ship("k").with(header("a;latin1", "v")), "choose another name");
        assertRefused(ship("k").with(delay(Duration.ofSeconds(Long.MAX_VALUE))), "beyond the year 9999");
        assertRefused(TaskRequest.of("orders", "ship", "x".repeat(11)), "over the limit of 10 bytes");
        assertRefused(TaskRequest.of("orders", "refused-by-client", null), "too large for the topic");
        assertRefused(
                TaskRequest.of("orders", "ship", new Object() {
                    public Object getSelf() {
                        return this;
                    }
                }),
                "cannot be written as JSON",
                "Give a record");
        assertRefused(
                TaskRequest.of("orders", "ship", new Opaque()),
                "The payload of the task's type 'ship', a " + Opaque.class.getName() + ", cannot be written as JSON",
                "Give a record");
    }

    /** Has a field that Jackson does not see. */
    static final class Opaque {
        @SuppressWarnings("unused")
        private final int number = 7;
    }

    record Ping() {}

    record Nothing(
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            String note) {}

    @Test
    void objectsWithoutContentAreSentAsTheyAre() {
        client.submit(TaskRequest.of("orders", "ping", new Ping()));
        client.submit(TaskRequest.of("orders", "ping", new Nothing(null)));
        client.submit(TaskRequest.of("orders", "ping", Map.of()));
        client.submit(TaskRequest.of("orders", "ping", List.of()));

        assertThat(publisher.sent.stream().map(each -> new String(each.payload(), StandardCharsets.UTF_8)))
                .containsExactly("{}", "{}", "{}", "[]");
    }

    @Test
    void aReferenceTellsTheAcknowledgement() throws Exception {
        TaskRef<?> ref = client.submit(ship("c-7"));
        assertThat(ref.accepted()).isNotDone();
        assertThatThrownBy(() -> ref.await(WAIT))
                .isInstanceOf(SubmitException.class)
                .hasMessageContaining("not acknowledged within PT0.001S by the broker of queue 'orders'");
        assertThat(ref.accepted().complete(null)).isTrue();

        publisher.acknowledge(0);

        assertThat(ref.await(WAIT)).isSameAs(ref);
        assertThat(ref.accepted().getNow(null)).isEqualTo(ref);
        assertThatThrownBy(() -> ref.await(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void everyoneWhoAskedForTheAcknowledgementIsTold() {
        TaskRef<?> ref = client.submit(ship("c-7"));
        List<CompletableFuture<?>> asked = List.of(ref.accepted(), ref.accepted(), ref.accepted());
        assertThatThrownBy(() -> ref.await(WAIT)).isInstanceOf(SubmitException.class);

        publisher.acknowledge(0);

        assertThat(asked).allSatisfy(each -> assertThat(each).isCompleted());
    }

    @Test
    void aFailureKeepsItsMessage() {
        TaskRef<?> ref = client.submit(ship("c-7"));
        publisher.ends.get(0).accept(new PublishException("no queue is bound"));

        assertThatThrownBy(() -> ref.await(WAIT))
                .isExactlyInstanceOf(SubmitException.class)
                .hasMessage("no queue is bound");
        assertThatThrownBy(() -> ref.accepted().join())
                .cause()
                .isInstanceOf(SubmitException.class)
                .hasMessage("no queue is bound");
    }

    @Test
    void aBatchIsSubmittedInOrderOrNotAtAll() {
        List<TaskRef<?>> refs =
                client.submitAll(List.of(ship("a").with(id("1")), ship("a").with(id("2"))));
        assertThat(publisher.ids()).containsExactly("1", "2");
        assertThat(refs).extracting(TaskRef::id).containsExactly("1", "2");

        assertThatThrownBy(() -> client.submitAll(List.of(ship("a"), ship(""))))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("key is empty");
        assertThat(publisher.sent).hasSize(2);
    }

    @Test
    void interceptorsMayChangeTheTaskAndTheFirstIsTheOutermost() {
        TaskClient intercepted = TandemClient.builder()
                .queue("orders", new Route(publisher, true))
                .interceptor((task, next) -> next.submit(task.with(header("who", "first"), header("first", "1"))))
                .interceptor((task, next) -> next.submit(task.with(header("who", "second"))))
                .build();

        intercepted.submit(ship("a"));
        intercepted.submitAll(List.of(ship("b"), ship("c")));

        assertThat(publisher.sent)
                .hasSize(3)
                .allSatisfy(task -> assertThat(task.headers())
                        .containsEntry("who", "second")
                        .containsEntry("first", "1"));
    }

    @Test
    void anInterceptorThatRefusesATaskRefusesItsBatchAndHearsOfIt() {
        CompletableFuture<?>[] heard = new CompletableFuture<?>[1];
        TaskClient intercepted = TandemClient.builder()
                .queue("orders", new Route(publisher, true))
                .interceptor((task, next) -> {
                    if ("bad".equals(task.key())) {
                        throw new IllegalStateException("no tenant");
                    }
                    TaskRef<?> ref = next.submit(task);
                    heard[0] = ref.accepted();
                    return ref;
                })
                .build();

        assertThatThrownBy(() -> intercepted.submitAll(List.of(ship("good"), ship("bad"))))
                .hasMessage("no tenant");

        assertThat(publisher.sent).isEmpty();
        assertThat(heard[0]).isCompletedExceptionally();
    }

    @Test
    void aClosedClientRefusesTasksAndClosesItsPublisherOnce() {
        client.close();

        assertThat(publisher.closed).isEqualTo(1);
        assertThatThrownBy(() -> client.submit(ship("a")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this client is closed");
        assertThatThrownBy(() -> client.submitAll(List.of())).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aQueueIsNamedOnceAndOneIsNeeded() {
        assertThatThrownBy(() -> TandemClient.builder().build()).hasMessageContaining("has no queues: add one or more");
        assertThatThrownBy(() -> TandemClient.builder().kafka("localhost:9092"))
                .hasMessageContaining("no queues at this broker");
        assertThatThrownBy(() -> TandemClient.builder()
                        .queue(KafkaSettings.of("localhost:9092", "orders"))
                        .queue(RabbitSettings.of("amqp://localhost", "orders")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("The queue 'orders' is named twice: name each queue once");
        assertThatThrownBy(() -> TandemClient.builder().kafka("localhost", "orders"))
                .hasMessageContaining("'bootstrap-servers' is 'localhost': use host:port");
    }

    @ParameterizedTest
    @ValueSource(strings = {"partitioner.class", "partitioner.ignore.keys"})
    void kafkasOwnPartitionerCannotBeReplaced(String property) {
        assertThatThrownBy(() -> KafkaSettings.of("localhost:9092", "orders").withProperties(Map.of(property, "true")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("The Kafka property '" + property + "'")
                .hasMessageContaining("leave it out");
    }

    @Test
    void queuesOfSeveralBrokersAreOneClient() {
        TaskClient several = TandemClient.builder()
                .kafka("localhost:1", "a", "b")
                .queue(KafkaSettings.of("localhost:1", "c").withProperties(Map.of("compression.type", "lz4")))
                .rabbit("amqp://localhost:1", "d")
                .queue(RabbitSettings.of("amqp://localhost:2", "e").orderedByHeader())
                .build();

        assertThat(several.toString()).contains("[a, b, c, d, e]");
        several.close();
    }

    private void assertRefused(TaskRequest<?> request, String... message) {
        int before = publisher.sent.size();
        assertThatThrownBy(() -> client.submit(request))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContainingAll(message);
        assertThat(publisher.sent.size()).isEqualTo("refused-by-client".equals(request.type()) ? before + 1 : before);
    }
}
