package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.MemoryBudget;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FetchSizesTest {

    private static final long MIB = 1 << 20;

    @Test
    void areKafkasOwnWhereMemoryIsLarge() {
        FetchSizes sizes = FetchSizes.of(MemoryBudget.ofBytes(1024 * MIB), 16);
        assertThat(sizes).isEqualTo(new FetchSizes((int) (16 * MIB), (int) MIB));
    }

    @Test
    void allPartitionsTogetherFetchAheadAQuarterOfTheMemory() {
        FetchSizes sizes = FetchSizes.of(MemoryBudget.ofBytes(64 * MIB), 1_000);
        assertThat(1_000L * sizes.perPartition()).isLessThanOrEqualTo(16 * MIB);
        assertThat(sizes.perFetch()).isEqualTo((int) (8 * MIB));
    }

    @Test
    void sourcesOfAProcessShareThem() {
        MemoryBudget memory = MemoryBudget.ofBytes(64 * MIB);
        for (int i = 0; i < 4; i++) {
            memory.addReader();
        }
        assertThat(FetchSizes.of(memory, 100).perPartition()).isEqualTo((int) (4 * MIB / 100));
        memory.removeReader();
        memory.removeReader();
        assertThat(FetchSizes.of(memory, 100).perPartition()).isEqualTo((int) (8 * MIB / 100));
    }

    @Test
    void thoseOfTheUserWin() {
        Map<String, Object> properties = FetchSizes.of(MemoryBudget.ofBytes(MIB), 10)
                .in(Map.of("group.id", "g"), Map.of("fetch.max.bytes", "7", "max.poll.records", "1"));
        assertThat(properties)
                .containsEntry("fetch.max.bytes", "7")
                .containsEntry("group.id", "g")
                .doesNotContainKey("max.poll.records")
                .containsEntry("max.partition.fetch.bytes", (int) (MIB / 40));
    }
}
