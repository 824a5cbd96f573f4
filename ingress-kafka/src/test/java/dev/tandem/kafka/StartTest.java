package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.kafka.Start.Found;
import org.junit.jupiter.api.Test;

class StartTest {

    private static final String OURS = Start.metadata("topic-1");

    @Test
    void readingStartsAtTheCommittedOffset() {
        assertThat(Start.of("0", new Found("topic-1", 7, OURS, 3), false)).isEqualTo(new Start(7, 7, false, null));
        assertThat(Start.of("0", new Found("topic-1", 3, OURS, 3), false)).isEqualTo(new Start(3, 3, false, null));
        assertThat(Start.of("0", new Found("topic-1", 7, "", 3), false)).isEqualTo(new Start(7, 7, false, null));
    }

    @Test
    void withoutOneItStartsAtTheLogsStartWhichIsThenCommitted() {
        assertThat(Start.of("0", new Found("topic-1", -1, "", 3), false)).isEqualTo(new Start(3, 3, true, null));
    }

    @Test
    void whatExpiredIsSkippedAndCounted() {
        Start start = Start.of("4", new Found("topic-1", 7, OURS, 10), false);

        assertThat(start.offset()).isEqualTo(10);
        assertThat(start.committed()).isEqualTo(7);
        assertThat(start.warning()).contains("partition 4", "offsets 7 to 9 (3)", "log's start 10");
    }

    @Test
    void anOffsetOfAnotherTopicMeansNothing() {
        Start start = Start.of("0", new Found("topic-2", 7, OURS, 0), false);

        assertThat(start.offset()).isZero();
        assertThat(start.committed()).isZero();
        assertThat(start.pin()).isTrue();
        assertThat(start.warning()).contains("offset 7", "topic-1", "topic-2");
    }

    @Test
    void aLogThatWasCutIsReadFromItsStart() {
        Start start = Start.of("0", new Found("topic-1", 700, OURS, 3), true);

        assertThat(start.offset()).isEqualTo(3);
        assertThat(start.committed()).isEqualTo(3);
        assertThat(start.pin()).isTrue();
        assertThat(start.warning()).contains("before the committed offset 700", "may run again");
    }
}
