package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class PollWakeupTest {

    private final PollWakeup wakeup = new PollWakeup();
    private final AtomicInteger interrupts = new AtomicInteger();

    @Test
    void manyWakeUpsInterruptAWaitOnce() {
        assertThat(wakeup.beginWait(interrupts::incrementAndGet)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            wakeup.wake();
        }
        assertThat(interrupts).hasValue(1);
    }

    @Test
    void aWakeUpBetweenTwoWaitsSkipsTheNextWait() {
        wakeup.wake();
        wakeup.wake();
        assertThat(wakeup.beginWait(interrupts::incrementAndGet)).isFalse();
        wakeup.endWait();
        assertThat(wakeup.beginWait(interrupts::incrementAndGet)).isTrue();
        assertThat(interrupts).hasValue(0);
    }

    @Test
    void noWakeUpIsLostBetweenThreads() throws InterruptedException {
        AtomicInteger work = new AtomicInteger();
        int rounds = 20_000;
        Thread waiter = new Thread(() -> {
            Thread self = Thread.currentThread();
            while (work.get() < rounds) {
                if (wakeup.beginWait(() -> LockSupport.unpark(self)) && work.get() < rounds) {
                    // Blocks forever if a wake-up is lost.
                    LockSupport.park();
                }
                wakeup.endWait();
            }
        });
        waiter.start();
        for (int i = 0; i < rounds; i++) {
            work.incrementAndGet();
            wakeup.wake();
            if (i % 100 == 0) {
                Thread.yield();
            }
        }
        waiter.join(30_000);
        assertThat(waiter.isAlive()).isFalse();
    }
}
