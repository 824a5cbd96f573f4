package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Leader epochs of earlier assignments and of commits show where a partition has other records by now. */
class LeaderEpochsTest {

    private static final long NONE = PartitionAssignment.NO_OFFSET;

    /** @param later as in a commit: {@code epoch@offset,…} */
    private static LeaderEpochs epochs(long committed, int epochBefore, String later) {
        LeaderEpochs epochs = new LeaderEpochs();
        epochs.committed(committed, Optional.of(epochBefore), later);
        return epochs;
    }

    @Test
    void epochsOfTheFirstRecordsAreKnownAlthoughNoRecordIsBeforeThem() {
        LeaderEpochs epochs = new LeaderEpochs();
        epochs.committed(0, Optional.empty(), "5@0,7@40");
        assertThat(epochs.at(39)).isEqualTo(5);
        assertThat(epochs.at(40)).isEqualTo(7);
        assertThat(epochs.textFrom(0)).isEqualTo("5@0,7@40");
    }

    @Test
    void newerLeaderFromWhichOtherRecordsWereReadReplacesThoseOfBefore() {
        assertThat(epochs(1001, 4, "6@1200").replacedFrom(epochs(901, 4, ""))).isEqualTo(1200);
        assertThat(epochs(1001, 4, "6@1200").replacedFrom(epochs(901, 4, "5@1150")))
                .as("the lost leader's first record, although the newest leader begins later")
                .isEqualTo(1150);
        assertThat(epochs(1301, 6, "").replacedFrom(epochs(901, 4, "5@1150")))
                .as("nothing is known before the commit")
                .isEqualTo(1300);
    }

    @Test
    void nothingIsReplacedWhereTheCommitKnowsLessThanWasRead() {
        LeaderEpochs former = epochs(901, 4, "5@1150");
        assertThat(epochs(1001, 4, "").replacedFrom(former)).isEqualTo(NONE);
        assertThat(epochs(1001, 4, "5@1150").replacedFrom(former)).isEqualTo(NONE);
        assertThat(new LeaderEpochs().replacedFrom(former)).isEqualTo(NONE);
        assertThat(epochs(1001, 4, "5@1150").replacedFrom(new LeaderEpochs())).isEqualTo(NONE);
    }

    @Test
    void anAssignmentThatReadLessKeepsWhatAnEarlierOneRead() {
        LeaderEpochs less = epochs(1001, 4, "");
        less.addNewerOf(epochs(901, 4, "5@1150"));
        assertThat(epochs(1001, 4, "6@1200").replacedFrom(less)).isEqualTo(1150);

        LeaderEpochs newer = epochs(1001, 4, "6@1120");
        newer.addNewerOf(epochs(901, 4, "5@1150"));
        assertThat(newer.at(1150)).as("read since").isEqualTo(6);
    }
}
