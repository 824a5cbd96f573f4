package dev.tandem.outbox;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tandem.api.InvalidTaskException;
import dev.tandem.api.TaskClient;
import dev.tandem.api.TaskOptions;
import dev.tandem.api.TaskRequest;
import dev.tandem.api.TaskTexts;
import dev.tandem.client.TandemClient;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What no broker could carry is refused at once, by a client and by the outbox alike. */
class BadValuesTest {

    static Stream<TaskRequest<?>> bad() {
        TaskRequest<?> task = TaskRequest.of("orders", "ship", "x").withKey("k");
        Map<String, String> many = IntStream.rangeClosed(0, TaskTexts.MAX_HEADERS)
                .boxed()
                .collect(Collectors.toMap(number -> "h" + number, number -> ""));
        return Stream.of(
                task.withKey(""),
                task.withKey("a\0b"),
                task.withKey("a\nb"),
                task.withKey("a\u0085b"),
                task.withKey("a\ud800"),
                task.withKey("\udc00a"),
                task.withKey("é".repeat(513)),
                TaskRequest.of("orders", "", "x"),
                TaskRequest.of("orders", "a\tb", "x"),
                TaskRequest.of("orders", "\ud83d", "x"),
                TaskRequest.of("orders", "t".repeat(201), "x"),
                task.with(TaskOptions.id("a\rb")),
                task.with(TaskOptions.id("\ud800")),
                task.with(TaskOptions.id("i".repeat(513))),
                task.with(TaskOptions.dedupKey("")),
                task.with(TaskOptions.dedupKey("\u0001")),
                task.with(TaskOptions.dedupKey("d".repeat(513))),
                task.with(TaskOptions.header("", "v")),
                task.with(TaskOptions.header("a\nb", "v")),
                task.with(TaskOptions.header("a;latin1", "v")),
                task.with(TaskOptions.header("a", "\udc00")),
                task.with(TaskOptions.header("a", "v".repeat(TaskTexts.MAX_HEADER_BYTES))),
                task.with(TaskOptions.header("a", "é".repeat(20_000)), TaskOptions.header("b", "é".repeat(20_000))),
                task.with(new TaskOptions(null, null, null, null, null, null, many)));
    }

    @ParameterizedTest
    @MethodSource("bad")
    void isRefusedByBoth(TaskRequest<?> task) {
        assertThatThrownBy(() -> Outbox.create().check(List.of(task))).isInstanceOf(InvalidTaskException.class);
        try (TaskClient client =
                TandemClient.builder().kafka("localhost:1", "orders").build()) {
            assertThatThrownBy(() -> client.submit(task)).isInstanceOf(InvalidTaskException.class);
        }
    }
}
