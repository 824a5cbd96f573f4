package dev.tandem.benchmarks;

import java.util.Locale;

/** What a measured value must be. */
sealed interface Budget {

    Budget NONE = new None();

    static Budget atLeast(double value) {
        return new AtLeast(value);
    }

    static Budget atMost(double value) {
        return new AtMost(value);
    }

    boolean reached(double measured);

    /** For people: "at most 4 µs"; empty where there is none. */
    String text(String unit);

    /** By how many percent of the budget the value is off; 0 where it is reached. */
    double offPercent(double measured);

    /** The value is told and not judged. */
    record None() implements Budget {
        @Override
        public boolean reached(double measured) {
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
        public boolean reached(double measured) {
            return measured >= value;
        }

        @Override
        public String text(String unit) {
            return "at least " + Numbers.text(value, unit);
        }

        @Override
        public double offPercent(double measured) {
            return reached(measured) ? 0 : 100 * (value - measured) / value;
        }
    }

    record AtMost(double value) implements Budget {
        @Override
        public boolean reached(double measured) {
            return measured <= value;
        }

        @Override
        public String text(String unit) {
            return value == 0 ? "none" : "at most " + Numbers.text(value, unit);
        }

        @Override
        public double offPercent(double measured) {
            return reached(measured) ? 0 : 100 * (measured - value) / Math.max(value, 1);
        }
    }

    /** How numbers are written. */
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
