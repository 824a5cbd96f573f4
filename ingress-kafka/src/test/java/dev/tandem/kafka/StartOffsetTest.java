package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StartOffsetTest {

    private static final String TANDEMS = CommitMetadata.settled("topic-1");

    @Test
    void startsAtTheCommittedOffset() {
        assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", 7, TANDEMS, 3), false))
                .isEqualTo(new StartOffset(7, 7, false, null));
        assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", 3, TANDEMS, 3), false))
                .isEqualTo(new StartOffset(3, 3, false, null));
        assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", 7, "", 3), false))
                .isEqualTo(new StartOffset(7, 7, false, null));
    }

    @Test
    void startsAtTheLogsStartAndMarksItWithoutACommittedOffset() {
        assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", -1, "", 3), false))
                .isEqualTo(new StartOffset(3, -1, true, null));
    }

    @Test
    void startsAtACutOnlyIfTheCommittedOffsetIsNotLower() {
        PartitionOffsets found = new PartitionOffsets("topic-1", 7, TANDEMS, 3);
        assertThat(StartOffset.atCut("0", found, 5)).satisfies(start -> {
            assertThat(start.offset()).isEqualTo(5);
            assertThat(start.committed()).isEqualTo(5);
            assertThat(start.mustCommit()).isTrue();
        });
        assertThat(StartOffset.atCut("0", found, 9)).isEqualTo(new StartOffset(7, 7, false, null));
    }

    @Test
    void aMarkedStartDoesNotCountAsSettled() {
        String marked = CommitMetadata.start("topic-1");
        assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", 3, marked, 3), false))
                .isEqualTo(new StartOffset(3, -1, false, null));

        StartOffset expired = StartOffset.of("0", new PartitionOffsets("topic-1", 3, marked, 5), false);
        assertThat(expired.offset()).isEqualTo(5);
        assertThat(expired.committed()).isEqualTo(-1);
        assertThat(expired.mustCommit()).isTrue();
        assertThat(expired.warning()).contains("offsets 3 to 4 (2)");

        StartOffset former = StartOffset.of("0", new PartitionOffsets("topic-2", 3, marked, 0), false);
        assertThat(former.warning()).contains("topic-1", "topic-2").doesNotContain(":start");
    }

    @Test
    void ignoresMetadataThatOthersCommitted() {
        for (String text : new String[] {":start", "tandem", "tandem;topic-9", "{}"}) {
            assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", 7, text, 3), false))
                    .isEqualTo(new StartOffset(7, 7, false, null));
        }
        assertThat(StartOffset.of("0", new PartitionOffsets("topic-1", 7, "tandem:start", 3), false)
                        .offset())
                .isEqualTo(3);
    }

    @Test
    void skipsAndCountsDeletedOffsets() {
        StartOffset start = StartOffset.of("4", new PartitionOffsets("topic-1", 7, TANDEMS, 10), false);

        assertThat(start.offset()).isEqualTo(10);
        assertThat(start.committed()).isEqualTo(7);
        assertThat(start.warning()).contains("partition 4", "offsets 7 to 9 (3)", "log's start 10");
    }

    @Test
    void onlyTandemsOffsetsOfAFormerTopicAreInvalid() {
        assertThat(KafkaSource.belongsToTopic(TANDEMS, "topic-1")).isTrue();
        assertThat(KafkaSource.belongsToTopic(CommitMetadata.start("topic-1"), "topic-1"))
                .isTrue();
        assertThat(KafkaSource.belongsToTopic("", "topic-1")).isTrue();
        assertThat(KafkaSource.belongsToTopic("written by others", "topic-1")).isTrue();
        assertThat(KafkaSource.belongsToTopic(TANDEMS, "topic-2")).isFalse();
        assertThat(KafkaSource.belongsToTopic(CommitMetadata.start("topic-1"), "topic-2"))
                .isFalse();
    }

    @Test
    void ignoresTheOffsetOfAFormerTopic() {
        StartOffset start = StartOffset.of("0", new PartitionOffsets("topic-2", 7, TANDEMS, 0), false);

        assertThat(start.offset()).isZero();
        assertThat(start.committed()).isEqualTo(-1);
        assertThat(start.mustCommit()).isTrue();
        assertThat(start.warning()).contains("offset 7", "topic-1", "topic-2");
    }

    @Test
    void readsATruncatedLogFromItsStart() {
        StartOffset start = StartOffset.of("0", new PartitionOffsets("topic-1", 700, TANDEMS, 3), true);

        assertThat(start.offset()).isEqualTo(3);
        assertThat(start.committed()).isEqualTo(3);
        assertThat(start.mustCommit()).isTrue();
        assertThat(start.warning()).contains("before the committed offset 700", "may run again");
    }
}
