package dev.tandem.benchmarks;

import org.jspecify.annotations.Nullable;

/**
 * One line of the table.
 *
 * @param what was measured
 * @param value in the unit; NaN: it could not be measured, and the note says why
 * @param unit "µs", "%", "/s"; empty for a count
 * @param note what helps to read it; null if nothing does
 */
record Measured(
        String what,
        double value,
        String unit,
        Budget budget,
        @Nullable String note) {

    static Measured of(String what, double value, String unit, Budget budget) {
        return new Measured(what, value, unit, budget, null);
    }

    /** A value that has no budget. */
    static Measured told(String what, double value, String unit) {
        return of(what, value, unit, Budget.NONE);
    }

    static Measured missing(String what, String why) {
        return new Measured(what, Double.NaN, "", Budget.NONE, why);
    }

    Measured withNote(String text) {
        return new Measured(what, value, unit, budget, text);
    }

    boolean isMissing() {
        return Double.isNaN(value);
    }
}
