package dev.tandem.task.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurationHistogramTest {

    private static final double[] SHARES = {0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1};

    private static DurationHistogram of(List<Long> micros) {
        long[] counts = new long[DurationHistogram.BUCKETS];
        micros.forEach(each -> counts[DurationHistogram.bucketOf(each)]++);
        return DurationHistogram.of(counts);
    }

    /** The histograms are those of several processes, each with durations of its own size. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void percentilesOfTheSumAreRightWithinTheStatedError(long seed) {
        Random random = new Random(seed);
        List<Long> all = new ArrayList<>();
        DurationHistogram sum = DurationHistogram.EMPTY;
        for (int process = 0; process < 7; process++) {
            double middle = random.nextDouble() * 20;
            List<Long> own = new ArrayList<>();
            for (int i = 0; i < 1 + random.nextInt(2_000); i++) {
                own.add((long) Math.exp(middle + random.nextGaussian()));
            }
            all.addAll(own);
            sum = sum.plus(of(own));
        }
        Collections.sort(all);

        assertThat(sum.count()).isEqualTo(all.size());
        for (double share : SHARES) {
            double exact = all.get((int) Math.ceil(share * all.size()) - 1);
            // A microsecond on top, since durations are whole ones.
            assertThat(sum.percentileMicros(share))
                    .as("seed %s, share %s", seed, share)
                    .isCloseTo(exact, within(exact * DurationHistogram.MAX_ERROR + 1));
        }
    }

    @Test
    void theErrorIsNineParts() {
        assertThat(DurationHistogram.MAX_ERROR).isBetween(0.090, 0.091);
    }

    @Test
    void everyDurationHasABucketAndLongerOnesNoLowerOne() {
        int last = 0;
        for (long micros = 0; micros < TimeUnit.DAYS.toMicros(25); micros += 1 + micros / 50) {
            int bucket = DurationHistogram.bucketOf(micros);
            assertThat(bucket).isBetween(last, DurationHistogram.BUCKETS - 1);
            last = bucket;
        }
        assertThat(DurationHistogram.bucketOf(-1)).isZero();
        assertThat(DurationHistogram.bucketOf(1)).isZero();
        assertThat(DurationHistogram.bucketOf(2)).isPositive();
        assertThat(DurationHistogram.bucketOf(Long.MAX_VALUE)).isEqualTo(DurationHistogram.BUCKETS - 1);
    }

    @Test
    void nothingHasNoPercentiles() {
        assertThat(DurationHistogram.EMPTY.percentileMicros(0.5)).isZero();
        assertThat(of(List.of(0L, 1L)).percentileMicros(1)).isZero();
        assertThatThrownBy(() -> DurationHistogram.EMPTY.percentileMicros(0)).hasMessageContaining("more than 0");
    }

    @Test
    void sumsDoNotDependOnTheOrder() {
        DurationHistogram one = of(List.of(5L, 70L));
        DurationHistogram other = of(List.of(5L, 1_000_000L));
        assertThat(one.plus(other)).isEqualTo(other.plus(one)).isEqualTo(of(List.of(5L, 5L, 70L, 1_000_000L)));
        assertThat(one.plus(DurationHistogram.EMPTY)).isEqualTo(one);
    }
}
