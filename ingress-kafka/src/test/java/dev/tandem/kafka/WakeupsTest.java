package dev.tandem.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WakeupsTest {

    private final Wakeups wakeups = new Wakeups();
    private final AtomicInteger interrupts = new AtomicInteger();

    @Test
    void manyWakeUpsOfOneWaitInterruptItOnce() {
        assertThat(wakeups.begin(interrupts::incrementAndGet)).isTrue();
        for (int i = 0; i < 1_000; i++) {
            wakeups.wake();
        }
        assertThat(interrupts).hasValue(1);
    }

    @Test
    void aWakeUpBetweenWaitsLetsTheNextOneNotBegin() {
        wakeups.wake();
        wakeups.wake();
        assertThat(wakeups.begin(interrupts::incrementAndGet)).isFalse();
        wakeups.end();
        assertThat(wakeups.begin(interrupts::incrementAndGet)).isTrue();
        assertThat(interrupts).hasValue(0);
    }

    @Test
    void noWakeUpIsLostBetweenThreads() throws InterruptedException {
        AtomicInteger work = new AtomicInteger();
        int rounds = 20_000;
        Thread waiter = new Thread(() -> {
            Thread self = Thread.currentThread();
            while (work.get() < rounds) {
                if (wakeups.begin(() -> LockSupport.unpark(self)) && work.get() < rounds) {
                    // For ever, if a wake-up were lost.
                    LockSupport.park();
                }
                wakeups.end();
            }
        });
        waiter.start();
        for (int i = 0; i < rounds; i++) {
            work.incrementAndGet();
            wakeups.wake();
            if (i % 100 == 0) {
                Thread.yield();
            }
        }
        waiter.join(30_000);
        assertThat(waiter.isAlive()).isFalse();
    }
}
