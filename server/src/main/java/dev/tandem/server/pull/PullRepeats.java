package dev.tandem.server.pull;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The messages that have been dealt with lately, by their names: Redis may forget that one was taken, and deliver it again.
 * Remembers the latest {@value #MOST} for {@value #MILLIS} ms, which is longer than a message stays in a mailbox.
 */
final class PullRepeats {

    static final long MILLIS = 60_000;
    static final int MOST = 20_000;

    private record Seen(String name, long at) {}

    private final LongSupplier millis;
    private final Set<String> names = new HashSet<>();
    private final Deque<Seen> byAge = new ArrayDeque<>();

    /** @param millis a monotonic clock */
    PullRepeats(LongSupplier millis) {
        this.millis = millis;
    }

    boolean has(String name) {
        forget();
        return names.contains(name);
    }

    /** @return false if it was remembered before */
    boolean add(String name) {
        forget();
        if (!names.add(name)) {
            return false;
        }
        byAge.addLast(new Seen(name, millis.getAsLong()));
        if (byAge.size() > MOST) {
            names.remove(byAge.removeFirst().name());
        }
        return true;
    }

    private void forget() {
        long now = millis.getAsLong();
        while (!byAge.isEmpty() && now - byAge.getFirst().at() > MILLIS) {
            names.remove(byAge.removeFirst().name());
        }
    }
}
