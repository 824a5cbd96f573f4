package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.StartPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how the queues of a process share its slots. */
class SlotSharesTest {

    private final List<Queue> queues = new ArrayList<>();

    /** A queue that starts tasks whenever it may. */
    private final class Queue {
        private final SlotShares.Member member;
        private final int most;
        private int running;
        private int waiting;
        private boolean due;
        private int started;

        Queue(SlotShares shares, int weight, int precedence, int most) {
            this.most = most;
            member = shares.join(new StartPolicy(weight, precedence, null), most, () -> due = true);
            queues.add(this);
        }

        void turn() {
            due = false;
            int may = member.turn(running, waiting);
            int starts = Math.max(0, Math.min(waiting, may - running));
            running += starts;
            waiting -= starts;
            started += starts;
        }
    }

    private int running() {
        return queues.stream().mapToInt(queue -> queue.running).sum();
    }

    /** Lets all queues take the turns for which they were woken. */
    private void settle() {
        for (int i = 0; i < 100 && queues.stream().anyMatch(queue -> queue.due); i++) {
            queues.stream().filter(queue -> queue.due).toList().forEach(Queue::turn);
        }
        assertThat(queues).noneMatch(queue -> queue.due);
    }

    @Test
    void queuesThatWantAllGetSlotsByTheirWeights() {
        SlotShares shares = new SlotShares(40);
        Queue three = new Queue(shares, 3, 0, 40);
        Queue one = new Queue(shares, 1, 0, 40);
        three.waiting = 1_000;
        one.waiting = 1_000;
        for (int i = 0; i < 500; i++) {
            queues.forEach(Queue::turn);
            settle();
            Queue ends = i % 4 == 0 && one.running > 0 ? one : three;
            ends.running--;
            ends.turn();
        }
        settle();

        assertThat(three.running).isEqualTo(30);
        assertThat(one.running).isEqualTo(10);
    }

    @Test
    void whatAQueueDoesNotNeedGoesToTheOthers() {
        SlotShares shares = new SlotShares(10);
        Queue busy = new Queue(shares, 1, 0, 10);
        Queue idle = new Queue(shares, 9, 0, 10);
        busy.waiting = 100;
        queues.forEach(Queue::turn);
        assertThat(busy.running).isEqualTo(10);

        idle.waiting = 3;
        idle.turn();
        assertThat(idle.running).as("nobody is interrupted").isZero();
        busy.running -= 2;
        busy.turn();
        settle();
        assertThat(idle.running).isEqualTo(2);
    }

    @Test
    void higherPrecedenceTakesEverySlotThatEndsUntilItNeedsNoMore() {
        SlotShares shares = new SlotShares(4);
        Queue low = new Queue(shares, 1_000, 0, 4);
        Queue high = new Queue(shares, 1, 1, 4);
        low.waiting = 100;
        low.turn();
        high.waiting = 10;
        high.turn();
        for (int i = 0; i < 10; i++) {
            Queue ends = low.running > 0 ? low : high;
            ends.running--;
            ends.turn();
            settle();
        }
        assertThat(high.started).isEqualTo(10);
        assertThat(low.started).isEqualTo(4);

        high.running--;
        high.turn();
        settle();
        assertThat(low.started).isEqualTo(5);
    }

    @Test
    void aQueueThatLeavesGivesItsSlotsToTheOthers() {
        SlotShares shares = new SlotShares(10);
        Queue fails = new Queue(shares, 1, 1, 10);
        Queue goesOn = new Queue(shares, 1, 0, 10);
        fails.waiting = 8;
        goesOn.waiting = 100;
        queues.forEach(Queue::turn);
        assertThat(goesOn.running).isEqualTo(2);

        fails.member.leave();
        settle();

        assertThat(goesOn.running).isEqualTo(10);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void neverMoreRunThanThereAreSlotsAndNoneStaysFreeWhileATaskWaits(long seed) {
        Random random = new Random(seed);
        int total = 1 + random.nextInt(20);
        SlotShares shares = new SlotShares(total);
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            new Queue(shares, random.nextInt(5), random.nextInt(3), 1 + random.nextInt(25));
        }
        for (int step = 0; step < 3_000; step++) {
            Queue queue = queues.get(random.nextInt(count));
            if (random.nextInt(4) == 0) {
                queue.waiting += random.nextInt(10);
            } else if (queue.running > 0) {
                queue.running -= 1 + random.nextInt(queue.running);
            }
            queue.turn();
            assertThat(running()).as("seed %s step %s", seed, step).isLessThanOrEqualTo(total);
            if (random.nextInt(3) == 0) {
                settle();
                int free = total - running();
                boolean anyoneWaits = queues.stream().anyMatch(each -> each.waiting > 0 && each.running < each.most);
                assertThat(anyoneWaits && free > 0)
                        .as("seed %s step %s", seed, step)
                        .isFalse();
            }
        }
    }
}
