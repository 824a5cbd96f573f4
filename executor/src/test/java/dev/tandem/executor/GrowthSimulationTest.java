package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

/** The order of keys while a log gets more partitions, with publishers and executors that learn of it late, and deaths. */
class GrowthSimulationTest {

    private static final int HISTORIES = Integer.getInteger("growth.histories", 200);
    private static final int MAX_STEPS = 20_000;

    @Test
    void everyKeyRunsInOrderThroughGrowths() {
        long first = Long.getLong("growth.seed", 0);
        for (long seed = first; seed < first + HISTORIES; seed++) {
            try {
                simulate(new Random(seed));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("Seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private static void simulate(Random random) {
        int partitions = 1 + random.nextInt(4);
        GrowthWorld world = new GrowthWorld(random, partitions, 15 + random.nextInt(30));
        int growths = 1 + random.nextInt(2);
        int quiet = 50 + random.nextInt(100);
        for (int step = 0; step < MAX_STEPS; step++) {
            // The next growth comes when no publisher uses an earlier count any more.
            if (growths > 0 && step >= quiet && world.isWindowClosed()) {
                growths--;
                partitions += 1 + random.nextInt(4);
                world.grow(partitions);
                quiet = step + 30 + random.nextInt(100);
            }
            world.step(growths == 0 && world.allPublished());
            if (growths == 0 && world.allPublished() && world.allEnded() && world.isSettledHistory()) {
                return;
            }
        }
        assertThat(world).as("a world that comes to rest").isNull();
    }
}
