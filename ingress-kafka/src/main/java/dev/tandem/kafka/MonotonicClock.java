package dev.tandem.kafka;

/** Milliseconds since the clock was created. They never go back and are never negative. */
final class MonotonicClock {

    private final long origin = System.nanoTime();

    long now() {
        return (System.nanoTime() - origin) / 1_000_000;
    }
}
