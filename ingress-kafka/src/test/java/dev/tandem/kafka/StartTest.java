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
    void withoutOneItStartsAtTheLogsStartWhichIsThenMarkedAsSuch() {
        assertThat(Start.of("0", new Found("topic-1", -1, "", 3), false)).isEqualTo(new Start(3, -1, true, null));
    }

    @Test
    void aMarkedStartSaysNothingOfWhatIsSettled() {
        String marked = Start.startMetadata("topic-1");
        assertThat(Start.of("0", new Found("topic-1", 3, marked, 3), false)).isEqualTo(new Start(3, -1, false, null));

        Start expired = Start.of("0", new Found("topic-1", 3, marked, 5), false);
        assertThat(expired.offset()).isEqualTo(5);
        assertThat(expired.committed()).isEqualTo(-1);
        assertThat(expired.pin()).isTrue();
        assertThat(expired.warning()).contains("offsets 3 to 4 (2)");

        Start former = Start.of("0", new Found("topic-2", 3, marked, 0), false);
        assertThat(former.warning()).contains("topic-1", "topic-2").doesNotContain(":start");
    }

    @Test
    void whatOthersCommittedBesideAnOffsetIsIgnored() {
        for (String text : new String[] {":start", "tandem", "tandem;topic-9", "{}"}) {
            assertThat(Start.of("0", new Found("topic-1", 7, text, 3), false)).isEqualTo(new Start(7, 7, false, null));
        }
        assertThat(Start.of("0", new Found("topic-1", 7, "tandem:start", 3), false)
                        .offset())
                .isEqualTo(3);
    }

    @Test
    void whatExpiredIsSkippedAndCounted() {
        Start start = Start.of("4", new Found("topic-1", 7, OURS, 10), false);

        assertThat(start.offset()).isEqualTo(10);
        assertThat(start.committed()).isEqualTo(7);
        assertThat(start.warning()).contains("partition 4", "offsets 7 to 9 (3)", "log's start 10");
    }

    @Test
    void onlyOursOfAFormerTopicDoNotCount() {
        assertThat(KafkaSource.counts(OURS, "topic-1")).isTrue();
        assertThat(KafkaSource.counts(Start.startMetadata("topic-1"), "topic-1"))
                .isTrue();
        assertThat(KafkaSource.counts("", "topic-1")).isTrue();
        assertThat(KafkaSource.counts("somebody's", "topic-1")).isTrue();
        assertThat(KafkaSource.counts(OURS, "topic-2")).isFalse();
        assertThat(KafkaSource.counts(Start.startMetadata("topic-1"), "topic-2"))
                .isFalse();
    }

    @Test
    void anOffsetOfAnotherTopicMeansNothing() {
        Start start = Start.of("0", new Found("topic-2", 7, OURS, 0), false);

        assertThat(start.offset()).isZero();
        assertThat(start.committed()).isEqualTo(-1);
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
