package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import dev.tandem.task.fanout.Subtask;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RetriedByOperatorTest {

    private static final Map<String, String> HEADERS =
            Map.of(Subtask.HEADER, new Subtask("00112233445566778899", 4, 1, false).text());

    private static Task task(Map<String, String> headers) {
        return new Task("row", "orders", "row", null, new byte[0], headers, 0, 0, 0, 0, null);
    }

    @Test
    void aSubtaskKeepsTheMarkAndItsHandlerDoesNotSeeIt() {
        Task marked = RetriedByOperator.with(task(HEADERS));
        Task stored = Envelope.decode("orders", Envelope.of(marked).encode()).task();

        assertThat(RetriedByOperator.isMarked(task(HEADERS))).isFalse();
        assertThat(RetriedByOperator.isMarked(stored)).isTrue();
        assertThat(RetriedByOperator.with(stored)).isSameAs(stored);
        assertThat(PlatformHeaders.without(stored.headers())).isEqualTo(HEADERS);
    }

    @Test
    void noPublisherSetsIt() {
        TaskHeaders headers = new TaskHeaders("orders", Binding.KAFKA, TaskHeaders.DEFAULT_MAX_PAYLOAD);
        List<Field> fields =
                List.of(Field.of(RetriedByOperator.HEADER, "1"), Field.of(Subtask.HEADER, HEADERS.get(Subtask.HEADER)));
        Task read = headers.read(fields, new Origin(null, null, null, null, 0, 0), new byte[] {1})
                .task();

        assertThat(read.headers()).isEqualTo(HEADERS);
    }

    @Test
    void otherTasksAreNotMarked() {
        Task task = task(Map.of("tenant", "acme"));
        assertThat(RetriedByOperator.with(task)).isSameAs(task);
    }
}
