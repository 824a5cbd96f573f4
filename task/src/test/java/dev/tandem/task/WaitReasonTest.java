package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.TaskHeaders.Binding;
import dev.tandem.task.TaskHeaders.Field;
import dev.tandem.task.TaskHeaders.Origin;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WaitReasonTest {

    private static final Task TASK =
            new Task(null, "orders", "pay", "k", new byte[] {1}, Map.of("color", "red"), 0, 0, 0, 0, null);

    private static Stream<WaitReason> all() {
        return Stream.of(
                new WaitReason.Permits(List.of("erp")),
                new WaitReason.Permits(List.of("erp", "mail")),
                new WaitReason.Token("mail"),
                new WaitReason.OtherTask("parcels/pack-7"),
                new WaitReason.FormerPartition(),
                new WaitReason.Turn(false),
                new WaitReason.Turn(true),
                new WaitReason.Other("another task with its deduplication key"));
    }

    @ParameterizedTest
    @MethodSource("all")
    void itIsReadAsItWasWritten(WaitReason reason) {
        assertThat(WaitReason.parse(reason.text())).isEqualTo(reason);
        Task stored = Envelope.decode("orders", new Envelope(WaitReason.with(TASK, reason), 0, 7, null).encode())
                .task();
        assertThat(WaitReason.of(stored)).isEqualTo(reason);
    }

    /** Earlier versions have stored these words, and the API shows them. */
    @Test
    void theWordsStayAsTheyAre() {
        assertThat(all().map(WaitReason::text))
                .containsExactly(
                        "a permit of erp",
                        "a permit of erp and mail",
                        "a token of mail",
                        "the task parcels/pack-7",
                        "earlier tasks of its key, in another partition",
                        "a free slot",
                        "earlier tasks of its key, or a free slot",
                        "another task with its deduplication key");
    }

    @Test
    void itIsReplacedAndTakenAway() {
        Task waits = WaitReason.with(TASK, new WaitReason.OtherTask("q/a\nand more"));

        assertThat(WaitReason.of(waits))
                .isInstanceOfSatisfying(
                        WaitReason.OtherTask.class,
                        other -> assertThat(other.task()).startsWith("q/a").doesNotContain("\n"));
        WaitReason.Token token = new WaitReason.Token("mail");
        assertThat(WaitReason.of(WaitReason.with(waits, token))).isEqualTo(token);
        assertThat(WaitReason.without(waits).headers()).isEqualTo(TASK.headers());
        assertThat(WaitReason.without(TASK)).isSameAs(TASK);
        assertThat(PlatformHeaders.without(waits.headers())).isEqualTo(TASK.headers());
    }

    @Test
    void aLongOneIsCut() {
        Task task = WaitReason.with(TASK, new WaitReason.Other("x".repeat(5_000)));
        assertThat(task.headers().get(WaitReason.HEADER)).hasSizeLessThan(WaitReason.MAX + 10);
    }

    @Test
    void theLongestBusinessIdIsNotCut() {
        WaitReason longest = new WaitReason.OtherTask("q".repeat(200) + "/" + "k".repeat(TaskHeaders.MAX_KEY));
        assertThat(WaitReason.of(WaitReason.with(TASK, longest))).isEqualTo(longest);
    }

    @Test
    void noPublisherSetsIt() {
        TaskHeaders headers = new TaskHeaders("orders", Binding.KAFKA, TaskHeaders.DEFAULT_MAX_PAYLOAD);
        Task read = headers.read(
                        List.of(Field.of(WaitReason.HEADER, "rain"), Field.of("color", "red")),
                        new Origin(null, null, null, null, 0, 0),
                        new byte[] {1})
                .task();

        assertThat(read.headers()).containsOnly(Map.entry("color", "red"));
    }
}
