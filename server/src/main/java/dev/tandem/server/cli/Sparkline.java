package dev.tandem.server.cli;

import java.util.Arrays;

/** Draws numbers as a line of small bars, of which the highest one is that of the greatest number. */
final class Sparkline {

    private static final String BARS = "▁▂▃▄▅▆▇█";

    private Sparkline() {}

    /** Only what is 0 has the lowest bar. */
    static String of(long[] numbers) {
        long most = Arrays.stream(numbers).max().orElse(0);
        StringBuilder line = new StringBuilder(numbers.length);
        for (long number : numbers) {
            int height = number <= 0 ? 0 : (int) Math.ceil((BARS.length() - 1.0) * number / most);
            line.append(BARS.charAt(height));
        }
        return line.toString();
    }
}
