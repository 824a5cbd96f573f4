package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.HeldPartition;
import org.junit.jupiter.api.Test;

class HeldPartitionTextTest {

    private static final HeldPartition FULL =
            new HeldPartition("3", "web-1", 1_204, 12, 1, true, false, true, 500, false, "starts are\tslowed\ndown");

    @Test
    void aPartitionIsReadAsItWasWritten() {
        String line = HeldPartitionText.of(FULL);
        assertThat(line.lines()).hasSize(1);
        HeldPartition read = HeldPartitionText.read(line).orElseThrow();
        assertThat(read.withheld()).startsWith("starts are").doesNotContain("\n");
        assertThat(read).usingRecursiveComparison().ignoringFields("withheld").isEqualTo(FULL);
    }

    @Test
    void itIsNoTask() {
        assertThat(HeldTaskText.read("orders", HeldPartitionText.of(FULL))).isEmpty();
        assertThat(HeldPartitionText.read("1\t3\t1:17")).isEmpty();
    }
}
