package dev.tandem.benchmarks;

import java.util.Locale;

/** A bound for a measured value. */
sealed interface Budget {

    Budget NONE = new None();

    static Budget atLeast(double value) {
        return new AtLeast(value);
    }

    static Budget atMost(double value) {
        return new AtMost(value);
    }

    boolean isReached(double measured);

    /** Describes the budget, such as "at most 4 µs". Empty if there is none. */
    String text(String unit);

    /** Returns by how many percent of the budget the value misses it; 0 if it is reached. */
    double offPercent(double measured);

    /** No bound: the value is reported and not judged. */
    record None() implements Budget {
        @Override
        public boolean isReached(double measured) {
            return true;
        }

        @Override
        public String text(String unit) {
            return "";
        }

        @Override
        public double offPercent(double measured) {
            return 0;
        }
    }

    record AtLeast(double value) implements Budget {
        @Override
        public boolean isReached(double measured) {
            return measured >= value;
        }

        @Override
        public String text(String unit) {
            return "at least " + Numbers.text(value, unit);
        }

        @Override
        public double offPercent(double measured) {
            return isReached(measured) ? 0 : 100 * (value - measured) / value;
        }
    }

    record AtMost(double value) implements Budget {
        @Override
        public boolean isReached(double measured) {
            return measured <= value;
        }

        @Override
        public String text(String unit) {
            return value == 0 ? "none" : "at most " + Numbers.text(value, unit);
        }

        @Override
        public double offPercent(double measured) {
            return isReached(measured) ? 0 : 100 * (measured - value) / Math.max(value, 1);
        }
    }

    /** The format of numbers with a unit. */
    final class Numbers {
        private Numbers() {}

        static String text(double value, String unit) {
            double size = Math.abs(value);
            String digits = size >= 100 || value == Math.rint(value) ? "%,.0f" : size >= 10 ? "%.1f" : "%.2f";
            String number = String.format(Locale.ROOT, digits, value);
            return unit.isEmpty() ? number : number + (unit.startsWith("/") ? "" : " ") + unit;
        }
    }
}
