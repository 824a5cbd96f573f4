package dev.tandem.task;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryBudgetTest {

    private static final long BYTES = 1_200;

    private final MemoryBudget budget = MemoryBudget.ofBytes(BYTES);

    @Test
    void oneBusyHolderGetsTwoThirds() {
        MemoryBudget.Account only = budget.account();
        assertThat(takeAll(only, 10)).isEqualTo(BYTES * 2 / 3);
    }

    @Test
    void manyHoldersShareNearlyAllAndNeverMore() {
        List<MemoryBudget.Account> holders = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            holders.add(budget.account());
        }
        for (int round = 0; round < 100; round++) {
            holders.forEach(holder -> holder.tryTake(10));
        }
        assertThat(budget.used()).isBetween(BYTES * 9 / 10, BYTES);
        assertThat(holders).allMatch(holder -> holder.held() > 0);
    }

    @Test
    void aNewcomerFindsRoomBesideABusyHolder() {
        takeAll(budget.account(), 10);
        assertThat(takeAll(budget.account(), 10)).isGreaterThan(BYTES / 5);
    }

    @Test
    void holdersWithoutTasksCostNothing() {
        for (int i = 0; i < 1_000; i++) {
            budget.account();
        }
        assertThat(takeAll(budget.account(), 10)).isEqualTo(BYTES * 2 / 3);
    }

    @Test
    void aTaskLargerThanTheBudgetIsTakenAlone() {
        MemoryBudget.Account first = budget.account();
        assertThat(first.tryTake(BYTES + 1)).isTrue();
        assertThat(budget.account().tryTake(1)).isFalse();
        first.give(BYTES + 1);
        assertThat(budget.account().tryTake(1)).isTrue();
    }

    @Test
    void aClosedHolderGivesEverythingBackAndTakesNothing() {
        MemoryBudget.Account holder = budget.account();
        assertThat(holder.tryTake(100)).isTrue();
        holder.close();
        holder.give(100);
        assertThat(budget.used()).isZero();
        assertThat(holder.tryTake(1)).isFalse();
    }

    @Test
    void isNeverExceededByTasksThatFit() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<MemoryBudget.Account> holders = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            holders.add(budget.account());
        }
        for (int step = 0; step < 20_000; step++) {
            MemoryBudget.Account holder = holders.get(random.nextInt(holders.size()));
            long size = 1 + random.nextInt(100);
            if (random.nextBoolean()) {
                holder.tryTake(size);
            } else {
                holder.give(Math.min(size, holder.held()));
            }
            assertThat(budget.used()).as("seed %d", seed).isBetween(0L, BYTES);
        }
    }

    private static long takeAll(MemoryBudget.Account holder, long size) {
        while (holder.tryTake(size)) {
            // Takes as much as it can.
        }
        return holder.held();
    }
}
