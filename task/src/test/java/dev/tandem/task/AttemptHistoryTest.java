package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The last attempts of a task travel with it. */
class AttemptHistoryTest {

    private static final Task TASK = Task.of("orders", "k", new byte[] {1}).withHeaders(Map.of("x-tenant", "acme"));

    @Test
    void attemptsSurviveTheEnvelope() {
        AttemptRecord failed = new AttemptRecord(1, 1_800_000_000_000L, 12, "web-1", "HTTP status 500");
        byte[] stored = new Envelope(AttemptHistory.with(TASK, failed), 1, 7, "HTTP status 500").encode();
        Task read = Envelope.decode("orders", stored).task();
        assertThat(AttemptHistory.of(read)).containsExactly(failed);
        assertThat(PlatformHeaders.without(read.headers())).isEqualTo(TASK.headers());
    }

    @Test
    void onlyTheLastTenAreKept() {
        Task task = TASK;
        for (int number = 1; number <= 14; number++) {
            task = AttemptHistory.with(task, new AttemptRecord(number, number, 1, "web-1", "no"));
        }
        assertThat(AttemptHistory.of(task))
                .extracting(AttemptRecord::number)
                .containsExactlyElementsOf(IntStream.rangeClosed(5, 14).boxed().toList());
    }

    @Test
    void anErrorIsCutToItsFirstLine() {
        String error = "a\tb" + "x".repeat(300) + "\nsecond line";
        Task task = AttemptHistory.with(TASK, new AttemptRecord(1, 5, 1, "odd\tname\n", error));
        AttemptRecord kept = AttemptHistory.of(task).get(0);
        assertThat(kept.error()).startsWith("a?bx").doesNotContain("second").hasSize(AttemptHistory.MAX_ERROR + 1);
        assertThat(kept.executor()).isEqualTo("odd name ");
    }

    @Test
    void startsWithoutAnOutcomeComeBeforeTheAttemptThatHasOne() {
        Task task = AttemptHistory.with(
                AttemptHistory.withLapses(TASK, 3, 2), new AttemptRecord(3, 5, 1, "web-1", "failed"));
        assertThat(AttemptHistory.of(task)).extracting(AttemptRecord::number).containsExactly(1, 2, 3);
        assertThat(AttemptHistory.of(task).get(1).error()).contains("died or was cut off");
        assertThat(AttemptHistory.of(AttemptHistory.withLapses(task, 5, 1)))
                .extracting(AttemptRecord::number)
                .containsExactly(1, 2, 3, 4);
        assertThat(AttemptHistory.of(AttemptHistory.withLapses(TASK, 5_000, 4_999)))
                .hasSize(AttemptHistory.MAX_ATTEMPTS);
        assertThat(AttemptHistory.text(AttemptHistory.withLapses(TASK, 1, 0))).isNull();
    }

    @Test
    void aPublisherCannotMakeAttemptsUp() {
        Origin origin = new Origin(null, null, null, null, 1, 1);
        for (String problem : new String[] {null, "unreadable"}) {
            Task read = new TaskHeaders("orders", Binding.KAFKA, 1 << 20)
                    .read(List.of(Field.of(AttemptHistory.HEADER, "1\t1\t1\tme\tno")), origin, null, problem)
                    .task();
            assertThat(AttemptHistory.of(read)).isEmpty();
        }
    }

    @Test
    void linesThatCannotBeReadAreLeftOut() {
        assertThat(AttemptHistory.parse("x\n1\t2\t3\te\tfailed\n1\t2\n?\t2\t3\te\tfailed"))
                .containsExactly(new AttemptRecord(1, 2, 3, "e", "failed"));
    }
}
