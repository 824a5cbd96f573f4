package dev.tandem.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class PercentilesTest {

    @Test
    void usesTheNearestRank() {
        assertThat(Percentiles.of(LongStream.rangeClosed(1, 100))).isEqualTo(new Percentiles(50, 99, 100));
        assertThat(Percentiles.of(4, 1, 3, 2)).isEqualTo(new Percentiles(2, 4, 4));
        assertThat(Percentiles.of(List.of(7L))).isEqualTo(new Percentiles(7, 7, 7));
    }

    @Test
    void isExactToFiveDigits() {
        long day = 86_400_000_000_000L;

        Percentiles percentiles = Percentiles.of(12_345, day);

        assertThat(percentiles.p50()).isEqualTo(12_345);
        assertThat(percentiles.max()).isBetween(day, day + day / 100_000);
    }

    @Test
    void countsNegativeValuesAsZero() {
        assertThat(Percentiles.of(-5, -1, 10)).isEqualTo(new Percentiles(0, 10, 10));
    }

    @Test
    void refusesToDescribeNothing() {
        assertThatIllegalArgumentException().isThrownBy(() -> Percentiles.of(List.of()));
    }
}
