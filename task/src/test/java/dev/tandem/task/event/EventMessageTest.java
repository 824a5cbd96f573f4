package dev.tandem.task.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Envelope;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.TaskHeaders;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An event is a CloudEvent with a name that its copies share. */
class EventMessageTest {

    private static EventMessage message(@Nullable String id, @Nullable String key, @Nullable String error) {
        return EventMessage.of(
                "tandem",
                new TaskEvent(
                        EventKind.DEAD,
                        Partition.of("orders", 3),
                        Position.of(0, 42),
                        7,
                        1_800_000_000_123_456L,
                        id,
                        "ship",
                        key,
                        8,
                        0,
                        0,
                        "web-1",
                        error,
                        null),
                null);
    }

    private static String data(EventMessage message) {
        return new String(message.data(), StandardCharsets.UTF_8);
    }

    @Test
    void theAttributesAreThoseOfACloudEvent() {
        assertThat(message("order-7", "c-7", null).attributes())
                .containsEntry("specversion", "1.0")
                .containsEntry("id", "3/0:42/dead/1800000000123456")
                .containsEntry("source", "/tandem/orders")
                .containsEntry("type", "dev.tandem.task.dead")
                .containsEntry("subject", "order-7")
                .containsEntry("time", "2027-01-15T08:00:00.123456Z")
                .containsEntry("partitionkey", "c-7")
                .containsEntry("sequence", "00000000000000000007");
    }

    @Test
    void whatTextsOfTheGreatestLengthTakeIsWithinTheBoundOfReaders() {
        String control = "\u0001";
        EventMessage message = EventMessage.of(
                "n".repeat(100),
                new TaskEvent(
                        EventKind.CANCELLED,
                        Partition.of("q".repeat(200), 99_999),
                        Position.of(Integer.MAX_VALUE, Long.MAX_VALUE),
                        Long.MAX_VALUE,
                        1_800_000_000_123_456L,
                        control.repeat(TaskHeaders.MAX_ID),
                        control.repeat(TaskHeaders.MAX_TYPE),
                        control.repeat(TaskHeaders.MAX_KEY),
                        Integer.MAX_VALUE,
                        1_800_000_000_123L,
                        Long.MAX_VALUE,
                        "e".repeat(300),
                        control.repeat(Envelope.MAX_ERROR),
                        control.repeat(TaskHeaders.MAX_ID)),
                null);
        int attributes = message.attributes().entrySet().stream()
                .mapToInt(each -> "cloudEvents:".length()
                        + each.getKey().length()
                        + each.getValue().length())
                .sum();

        assertThat(message.data().length + attributes).isLessThanOrEqualTo(PublishedEvent.MAX_BYTES);
    }

    @Test
    void eventsOfATaskWithoutAKeyStayTogether() {
        EventMessage message = message(null, null, null);
        assertThat(message.orderedBy()).isEqualTo("3/0:42");
        assertThat(message.attributes()).containsEntry("subject", "@3/0:42").doesNotContainKey("partitionkey");
        assertThat(message("order-7", "c-7", null).orderedBy()).isEqualTo("c-7");
    }

    @Test
    void theDataIsJsonWhateverTheTextsContain() {
        assertThat(data(message("order-7", null, "a \"quote\", a \\ and\nlines \uD83D\uDE00 é")))
                .isEqualTo("{\"kind\":\"dead\",\"queue\":\"orders\",\"partition\":\"3\",\"position\":\"0:42\","
                        + "\"id\":\"order-7\",\"type\":\"ship\",\"attempt\":8,\"executor\":\"web-1\","
                        + "\"error\":\"a \\\"quote\\\", a \\\\ and\\u000alines \\ud83d\\ude00 é\"}");
    }
}
