package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnackedSizesTest {

    private final UnackedSizes sizes = new UnackedSizes();

    @Test
    void eachSizeIsTakenOnce() {
        sizes.put(7, 100);
        sizes.put(8, 200);
        assertThat(sizes.take(8)).isEqualTo(200);
        assertThat(sizes.take(8)).isZero();
        assertThat(sizes.take(9)).isZero();
        assertThat(sizes.isEmpty()).isFalse();
        assertThat(sizes.take(7)).isEqualTo(100);
        assertThat(sizes.isEmpty()).isTrue();
    }

    @Test
    void remembersAllThatIsUnackedInAnyOrder() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        Map<Long, Integer> expected = new HashMap<>();
        long next = 1;
        for (int step = 0; step < 20_000; step++) {
            if (expected.size() < 500 && random.nextBoolean()) {
                int size = 1 + random.nextInt(1_000);
                expected.put(next, size);
                sizes.put(next++, size);
            } else if (!expected.isEmpty()) {
                List<Long> tags = List.copyOf(expected.keySet());
                long tag = tags.get(random.nextInt(tags.size()));
                assertThat(sizes.take(tag)).as("seed %d", seed).isEqualTo(expected.remove(tag));
            }
            assertThat(sizes.isEmpty()).as("seed %d", seed).isEqualTo(expected.isEmpty());
        }
    }
}
