package dev.tandem.client;

import static dev.tandem.api.TaskOptions.cloudEvent;
import static dev.tandem.api.TaskOptions.header;
import static dev.tandem.api.TaskOptions.id;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.CloudEventMode;
import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.TandemClient.Route;
import dev.tandem.task.Publisher;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders.Binding;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Tasks that are published as CloudEvents. */
class CloudEventsTest {

    private static final Instant NOW = Instant.parse("2026-11-23T10:00:00Z");

    record Ship(int n) {}

    /** Accepts every task and keeps it. */
    private static final class LastPublisher implements Publisher {

        private Task last = Task.of("none", null, new byte[0]);

        Task last() {
            return last;
        }

        @Override
        public CompletionStage<PublishedId> publish(Task task) {
            throw new UnsupportedOperationException("The client prepares");
        }

        @Override
        public Publication prepare(Task task) {
            return end -> {
                last = task;
                end.accept(null);
            };
        }

        @Override
        public void close() {}
    }

    private final LastPublisher publisher = new LastPublisher();
    private final TaskClient client = builder().build(() -> NOW);

    private TandemClientBuilder builder() {
        return TandemClient.builder()
                .queue("orders", new Route(publisher, true))
                .queue("rabbit", new Route(publisher, true, Binding.AMQP));
    }

    private static TaskRequest<?> ship(String queue, Object payload) {
        return TaskRequest.of(queue, "ship", payload).withKey("c-7").with(id("o-7"));
    }

    private Task submitted(TaskRequest<?> task) {
        client.submit(task);
        return publisher.last();
    }

    private static String payload(Task task) {
        return new String(task.payload(), StandardCharsets.UTF_8);
    }

    @Test
    void inBinaryModeTheAttributesAreHeadersInTheSpellingOfTheBroker() {
        for (Map.Entry<String, String> each :
                Map.of("orders", "ce_", "rabbit", "cloudEvents:").entrySet()) {
            Task task =
                    submitted(ship(each.getKey(), new Ship(7)).with(cloudEvent("/shop"), header("ce_subject", "s")));

            String prefix = each.getValue();
            assertThat(payload(task)).isEqualTo("{\"n\":7}");
            assertThat(task.headers())
                    .containsOnly(
                            Map.entry(prefix + "specversion", "1.0"),
                            Map.entry(prefix + "id", "o-7"),
                            Map.entry(prefix + "source", "/shop"),
                            Map.entry(prefix + "type", "ship"),
                            Map.entry(prefix + "time", "2026-11-23T10:00:00Z"),
                            Map.entry(prefix + "partitionkey", "c-7"),
                            Map.entry(prefix + "subject", "s"),
                            Map.entry("content-type", "application/json"));
        }
    }

    @Test
    void inStructuredModeTheBodyIsTheEvent() {
        Task task = submitted(ship("orders", new Ship(7)).with(cloudEvent("/shop", CloudEventMode.STRUCTURED)));

        assertThat(task.headers()).containsOnly(Map.entry("content-type", "application/cloudevents+json"));
        assertThat(payload(task))
                .isEqualTo("{\"specversion\":\"1.0\",\"source\":\"/shop\",\"id\":\"o-7\",\"type\":\"ship\","
                        + "\"time\":\"2026-11-23T10:00:00Z\",\"partitionkey\":\"c-7\","
                        + "\"datacontenttype\":\"application/json\",\"data\":{\"n\":7}}");
    }

    @Test
    void textAndBytesHaveTheirOwnForms() {
        TaskRequest<?> text = ship("orders", "a \"b\"").with(cloudEvent("/shop", CloudEventMode.STRUCTURED));
        TaskRequest<?> bytes = ship("orders", new byte[] {1, 2}).with(cloudEvent("/shop", CloudEventMode.STRUCTURED));
        TaskRequest<?> json = text.with(header("ce_datacontenttype", "application/json"));

        assertThat(payload(submitted(text))).endsWith("\"text/plain;charset=UTF-8\",\"data\":\"a \\\"b\\\"\"}");
        assertThat(payload(submitted(bytes))).endsWith("\"application/octet-stream\",\"data_base64\":\"AQI=\"}");
        assertThatThrownBy(() -> client.submit(json))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("it is no JSON");
    }

    @Test
    void theReplacementCharacterIsTextLikeAnyOther() {
        TaskRequest<?> json =
                ship("orders", Map.of("name", "a\ufffdb")).with(cloudEvent("/shop", CloudEventMode.STRUCTURED));
        TaskRequest<?> text = ship("orders", "a\ufffdb").with(cloudEvent("/shop", CloudEventMode.STRUCTURED));
        TaskRequest<?> noText =
                ship("orders", new byte[] {(byte) 0xff}).with(cloudEvent("/shop", CloudEventMode.STRUCTURED));

        assertThat(payload(submitted(json))).endsWith("\"data\":{\"name\":\"a\ufffdb\"}}");
        assertThat(payload(submitted(text))).endsWith("\"data\":\"a\ufffdb\"}");
        assertThat(payload(submitted(noText.with(header("ce_datacontenttype", "text/plain")))))
                .endsWith("\"data_base64\":\"/w==\"}");
        assertThatThrownBy(() -> client.submit(noText.with(header("ce_datacontenttype", "application/json"))))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("no JSON in UTF-8");
    }

    @Test
    void aClientMakesEventsOfAllItsTasksAndATaskSaysOtherwise() {
        try (TaskClient events =
                builder().cloudEvents("/all", CloudEventMode.BINARY).build(() -> NOW)) {
            events.submit(ship("orders", new Ship(7)));
            assertThat(publisher.last().headers()).containsEntry("ce_source", "/all");
            events.submit(ship("orders", new Ship(7)).with(cloudEvent("/own")));
            assertThat(publisher.last().headers()).containsEntry("ce_source", "/own");
        }
    }

    @Test
    void whatCanBeNoEventIsRefused() {
        assertThatThrownBy(() -> cloudEvent(" "))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessageContaining("cloudEvent");
        assertThatThrownBy(() -> client.submit(ship("orders", "x").with(header("ce_specversion", "1.0"))))
                .hasMessageContaining("without a source");
        assertThatThrownBy(
                        () -> client.submit(ship("orders", "x").with(cloudEvent("/shop"), header("ce_Sub-ject", "x"))))
                .hasMessageContaining("ce_Sub-ject");
        assertThatThrownBy(() -> client.submit(new TaskRequest<>("orders", null, null, "x", cloudEvent("/shop"))))
                .hasMessageContaining("without a type");
    }
}
