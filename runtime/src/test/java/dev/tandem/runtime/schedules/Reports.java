package dev.tandem.runtime.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.api.TaskContext;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A handler that keeps which tasks of schedules it ran. The task {@code first} is none of a schedule. */
final class Reports {

    /** The ids of the tasks, in the order in which they began. */
    final List<String> ran = new CopyOnWriteArrayList<>();

    final CountDownLatch begun = new CountDownLatch(1);
    /** The tasks {@code wait} end when this is open. */
    final CountDownLatch released = new CountDownLatch(1);

    final AtomicInteger mostAtOnce = new AtomicInteger();

    private final AtomicInteger atOnce = new AtomicInteger();

    void run(String text, TaskContext task) throws InterruptedException {
        if (text.equals("first")) {
            begun.countDown();
            return;
        }
        assertThat(task.dedupKey()).contains(task.id());
        ran.add(task.id());
        mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
        try {
            if (text.equals("wait")) {
                released.await();
            }
        } finally {
            atOnce.decrementAndGet();
        }
    }
}
