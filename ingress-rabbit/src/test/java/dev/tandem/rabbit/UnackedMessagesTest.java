package dev.tandem.rabbit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class UnackedMessagesTest {

    private final UnackedMessages unacked = new UnackedMessages();

    @Test
    void eachSizeIsTakenOnce() {
        unacked.put(7, 100, 1);
        unacked.put(8, 200, 2);
        assertThat(unacked.take(8)).isEqualTo(200);
        assertThat(unacked.take(8)).isZero();
        assertThat(unacked.take(9)).isZero();
        assertThat(unacked.isEmpty()).isFalse();
        assertThat(unacked.oldest()).isEqualTo(1);
        assertThat(unacked.take(7)).isEqualTo(100);
        assertThat(unacked.isEmpty()).isTrue();
        assertThat(unacked.oldest()).isEqualTo(UnackedMessages.NONE);
    }

    @Test
    void remembersAllThatIsUnackedInAnyOrder() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TreeMap<Long, Integer> expected = new TreeMap<>();
        long next = 1;
        for (int step = 0; step < 40_000; step++) {
            int most = step / 2_000 % 2 == 0 ? 500 : 3;
            if (expected.size() < most && random.nextBoolean()) {
                int size = 1 + random.nextInt(1_000);
                expected.put(next, size);
                unacked.put(next, size, next);
                next += 1 + random.nextInt(3);
            } else if (!expected.isEmpty()) {
                List<Long> tags = List.copyOf(expected.keySet());
                // The oldest ones stay longest, as a message behind a full lane does.
                long tag = tags.get(Math.min(tags.size() - 1, random.nextInt(tags.size() + 1)));
                assertThat(unacked.take(tag)).as("seed %d", seed).isEqualTo(expected.remove(tag));
            }
            assertThat(unacked.isEmpty()).as("seed %d", seed).isEqualTo(expected.isEmpty());
            assertThat(unacked.oldest())
                    .as("seed %d", seed)
                    .isEqualTo(expected.isEmpty() ? UnackedMessages.NONE : expected.firstKey());
        }
    }

    @Test
    void aFewOldMessagesDoNotMakeItGrow() {
        for (long tag = 1; tag <= 10; tag++) {
            unacked.put(tag, 1, tag);
        }
        for (long tag = 11; tag <= 3_000_000; tag++) {
            unacked.put(tag, 2, tag);
            assertThat(unacked.take(tag)).isEqualTo(2);
        }
        assertThat(unacked.capacity()).isEqualTo(64);
        assertThat(unacked.oldest()).isEqualTo(1);
        for (long tag = 10; tag >= 1; tag--) {
            assertThat(unacked.take(tag)).isEqualTo(1);
        }
        assertThat(unacked.isEmpty()).isTrue();
    }
}
