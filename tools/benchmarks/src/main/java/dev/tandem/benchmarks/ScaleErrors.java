package dev.tandem.benchmarks;

import java.util.List;

/**
 * The errors of dead tasks: half of the tasks have one of a few, as in an outage, and the others have many different ones. With
 * their types these are more groups than a partition keeps, so its table is full, and the rest is in the group of all others.
 */
final class ScaleErrors {

    private static final List<String> COMMON = List.of(
            "HTTP 503 from https://warehouse.example: Service Unavailable",
            "java.net.SocketTimeoutException: Read timed out",
            "order is not paid");
    private static final int COMMON_VARIANTS = 30;
    private static final int RARE = 550;
    private static final int LETTERS = 26;

    private ScaleErrors() {}

    /** Returns the error of a task. An even number has one of the common ones. */
    static String of(int number) {
        int half = number / 2;
        return number % 2 == 0
                ? COMMON.get(half % COMMON.size()) + " (" + word(half % COMMON_VARIANTS) + ")"
                : "The carrier does not know the region " + word(half % RARE) + " of order " + number;
    }

    /** Returns a word of letters: a digit would make no difference between two errors. */
    private static String word(int number) {
        StringBuilder word = new StringBuilder("region");
        for (int rest = number; rest > 0; rest /= LETTERS) {
            word.append((char) ('a' + rest % LETTERS));
        }
        return word.toString();
    }
}
