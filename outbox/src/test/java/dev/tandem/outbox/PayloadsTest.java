package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.client.ClientEncoding;
import dev.tandem.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A task has the same payload whether a client submits it or the outbox. */
class PayloadsTest {

    record Order(String id, int items) {}

    record Nothing() {}

    static final class Hidden {
        private final int number = 7;

        @Override
        public String toString() {
            return "Hidden" + number;
        }
    }

    static final class Self {
        public final List<Object> all = new ArrayList<>();
    }

    static Stream<Arguments> payloads() {
        return Stream.of(
                arguments((Object) null),
                arguments(new byte[] {1, -1}),
                arguments("text \u00e9"),
                arguments(""),
                arguments(new StringBuilder("text")),
                arguments(7),
                arguments(List.of()),
                arguments(Map.of()),
                arguments(new Order("o-7", 2)),
                arguments(new Nothing()),
                arguments(new Object()));
    }

    static Stream<Arguments> refused() {
        Self cycle = new Self();
        cycle.all.add(cycle);
        return Stream.of(arguments(new Hidden()), arguments(cycle));
    }

    private static TaskRequest<?> task(Object payload) {
        return TaskRequest.of("orders", "ship", payload);
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void areTheSameFromBoth(Object payload) {
        Task fromClient = ClientEncoding.encode(task(payload));
        Outbox.Written row = Outbox.create().check(List.of(task(payload))).get(0);

        assertThat(row.payload()).isEqualTo(fromClient.payload());
        assertThat(Payloads.readHeaders(row.headers())).isEqualTo(fromClient.headers());
    }

    @ParameterizedTest
    @MethodSource("payloads")
    void keepTheContentTypeThatTheyAreGiven(Object payload) {
        TaskRequest<?> given = task(payload).with(TaskOptions.header("content-type", "application/x"));

        assertThat(Payloads.readHeaders(
                        Outbox.create().check(List.of(given)).get(0).headers()))
                .isEqualTo(ClientEncoding.encode(given).headers());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void areRefusedByBothInTheSameWords(Object payload) {
        TaskRequest<?> task = task(payload);
        InvalidTaskException fromClient =
                catchThrowableOfType(InvalidTaskException.class, () -> ClientEncoding.encode(task));

        assertThat(fromClient).isNotNull();
        assertThatThrownBy(() -> Outbox.create().check(List.of(task)))
                .isInstanceOf(InvalidTaskException.class)
                .hasMessage(fromClient.getMessage());
    }
}
