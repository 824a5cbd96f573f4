package dev.tandem.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * A measured value: one line of the table.
 *
 * @param name of what was measured
 * @param value in the unit; NaN if it could not be measured, and the note says why
 * @param unit "µs", "%", "/s"; empty for a count
 * @param note for the reader, if there is something to say
 */
record Measurement(
        String name,
        double value,
        String unit,
        Budget budget,
        @Nullable String note) {

    static Measurement of(String name, double value, String unit, Budget budget) {
        return new Measurement(name, value, unit, budget, null);
    }

    /** Returns a value that has no budget. */
    static Measurement withoutBudget(String name, double value, String unit) {
        return of(name, value, unit, Budget.NONE);
    }

    /** Returns a line about what could not be measured. */
    static Measurement missing(String name, String reason) {
        return new Measurement(name, Double.NaN, "", Budget.NONE, reason);
    }

    boolean isMissing() {
        return Double.isNaN(value);
    }
}
