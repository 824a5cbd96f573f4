package dev.tandem.kafka;

/** Elapsed milliseconds since it was made, never negative. */
final class Millis {

    private final long origin = System.nanoTime();

    long now() {
        return (System.nanoTime() - origin) / 1_000_000;
    }
}
