package dev.tandem.ordering;

import java.util.List;
import java.util.SplittableRandom;

/** The only source of chance in a history. */
final class SeededRandom {

    private final SplittableRandom random;

    SeededRandom(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** Returns a number from 0 to {@code bound - 1}. */
    int below(int bound) {
        return bound <= 1 ? 0 : random.nextInt(bound);
    }

    int between(int least, int most) {
        return least + below(most - least + 1);
    }

    boolean percent(int chance) {
        return random.nextInt(100) < chance;
    }

    <T> T any(List<T> list) {
        return list.get(below(list.size()));
    }

    /** Returns a delay that is mostly small, now and then large. */
    int delay(int usual, int rare) {
        return percent(4) ? below(rare) : below(usual + 1);
    }
}
