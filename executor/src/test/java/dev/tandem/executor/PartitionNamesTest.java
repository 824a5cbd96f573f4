package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.Partition;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PartitionNamesTest {

    private static String format(String... names) {
        return PartitionNames.format(
                Stream.of(names).map(name -> new Partition("orders", name)).toList());
    }

    @Test
    void numbersAreRanges() {
        assertThat(format("4", "0", "1", "10", "2", "9")).isEqualTo("0-2, 4, 9-10");
        assertThat(format("7")).isEqualTo("7");
        assertThat(PartitionNames.format(List.of())).isEmpty();
    }

    @Test
    void otherNamesFollow() {
        assertThat(format("us", "1", "eu", "007", "0")).isEqualTo("0-1, 007, eu, us");
    }

    @Test
    void aLongListIsCut() {
        List<Partition> even = IntStream.range(0, 100)
                .mapToObj(number -> Partition.of("orders", 2 * number))
                .toList();

        assertThat(PartitionNames.format(even)).startsWith("0, 2, 4, ").endsWith(", 36, 38, ...");
    }
}
