package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class AwaitedEndsTest {

    private final AtomicLong now = new AtomicLong(1_000);
    private final AwaitedEnds awaited = new AwaitedEnds(now::get);

    private static String hash(int number) {
        return String.format("%08x", number);
    }

    @Test
    void whatSomebodyWaitsForCountsUntilTheyDoNotSaySoAnyMore() {
        assertThat(awaited.anyOf("orders")).isFalse();
        awaited.heard("orders", hash(1) + hash(2));
        awaited.heard("orders", null);

        assertThat(awaited.has("orders", hash(1))).isTrue();
        assertThat(awaited.has("orders", hash(3))).isFalse();
        assertThat(awaited.anyOf("mail")).isFalse();

        now.addAndGet(10_000);
        awaited.heard("orders", hash(2));
        now.addAndGet(10_000);
        assertThat(awaited.has("orders", hash(1))).isFalse();
        assertThat(awaited.has("orders", hash(2))).isTrue();
        now.addAndGet(AwaitedEnds.COUNTS_MILLIS);
        assertThat(awaited.anyOf("orders")).isFalse();
    }

    @Test
    void whenSoManyAreAwaitedThatTheyAreNotRememberedAllTasksAre() {
        for (int i = 0; i <= AwaitedEnds.MAX_NAMES; i++) {
            awaited.heard("orders", hash(i));
        }
        assertThat(awaited.has("orders", hash(-1))).isTrue();
        now.addAndGet(AwaitedEnds.COUNTS_MILLIS);
        assertThat(awaited.has("orders", hash(-1))).isFalse();
        assertThat(awaited.anyOf("orders")).isFalse();
    }
}
