package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.TaskHeaders.Read;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The properties of a message, besides its headers, describe its task. */
class BrokerPropertiesTest {

    private static final TaskHeaders AMQP = new TaskHeaders("orders", TaskHeaders.Binding.AMQP, 1_000);
    private static final byte[] BODY = {1, 2};

    @ParameterizedTest
    @ValueSource(strings = {"a\nb", "\u0000", "\u0085", "a\rforged line"})
    void theBrokersOwnIdAndTypeHaveTheChecksOfTheHeaders(String text) {
        for (Origin origin :
                List.of(new Origin(null, text, "type", null, 1, 2), new Origin(null, "id", text, null, 1, 2))) {
            Read read = AMQP.read(List.of(), origin, BODY);

            assertThat(read.unreadable())
                    .contains("the message's")
                    .contains("control characters are not allowed")
                    .doesNotContain(text);
            assertThat(read.task().id()).isIn("id", null);
            assertThat(read.task().type()).isIn("type", null);
            assertThat(read.task().payload()).isEqualTo(BODY);
        }
        Origin unused = new Origin(null, text, text, null, 1, 2);
        assertThat(AMQP.read(List.of(Field.of("tandem-id", "own"), Field.of("tandem-type", "mine")), unused, null)
                        .unreadable())
                .isNull();
    }

    @Test
    void theBrokersOwnIdAndTypeHaveTheLimitsOfTheHeaders() {
        Origin longType = new Origin(null, null, "é".repeat(101), null, 1, 2);
        assertThat(AMQP.read(List.of(), longType, null).unreadable()).contains("it has 202 bytes, and at most 200");
        Origin longId = new Origin(null, "x".repeat(513), null, null, 1, 2);
        assertThat(AMQP.read(List.of(), longId, null).unreadable()).contains("it has 513 bytes, and at most 512");
    }
}
