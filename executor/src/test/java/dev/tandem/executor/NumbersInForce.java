package dev.tandem.executor;

import java.util.ArrayDeque;
import java.util.Deque;

/** The most permits of a limit while operators change the number. */
final class NumbersInForce {

    /** A number. @param until when another one took its place */
    private record Former(int max, long until) {}

    private final Deque<Former> former = new ArrayDeque<>();
    private int current;
    private int most;

    NumbersInForce(int configured) {
        current = configured;
        most = configured;
    }

    void change(int max, long now) {
        former.add(new Former(current, now));
        current = max;
        most = Math.max(most, max);
    }

    /** Returns the highest number that was ever in force. */
    int most() {
        return most;
    }

    /** Returns the highest number that was in force at this time or later. To be called with times that do not go back. */
    int mostSince(long time) {
        while (!former.isEmpty() && former.peek().until() < time) {
            former.remove();
        }
        return Math.max(current, former.stream().mapToInt(Former::max).max().orElse(0));
    }
}
