package dev.tandem.kit;

import java.util.Arrays;
import java.util.Collection;
import java.util.stream.LongStream;
import org.HdrHistogram.Histogram;

/**
 * Percentiles of measured values, by nearest rank and to five significant digits. A negative value counts as 0.
 *
 * @param p50 the median
 */
public record Percentiles(long p50, long p99, long max) {

    private static final int SIGNIFICANT_DIGITS = 5;

    /** @throws IllegalArgumentException if there is no value */
    public static Percentiles of(LongStream values) {
        Histogram histogram = new Histogram(SIGNIFICANT_DIGITS);
        values.forEach(value -> histogram.recordValue(Math.max(0, value)));
        if (histogram.getTotalCount() == 0) {
            throw new IllegalArgumentException("Nothing was measured");
        }
        return new Percentiles(
                histogram.getValueAtPercentile(50), histogram.getValueAtPercentile(99), histogram.getMaxValue());
    }

    /** @throws IllegalArgumentException if there is no value */
    public static Percentiles of(long... values) {
        return of(Arrays.stream(values));
    }

    /** @throws IllegalArgumentException if there is no value */
    public static Percentiles of(Collection<Long> values) {
        return of(values.stream().mapToLong(Long::longValue));
    }
}
