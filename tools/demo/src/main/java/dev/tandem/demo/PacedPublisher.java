package dev.tandem.demo;

import dev.tandem.demo.DemoCheck.Published;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Publishes tasks to one broker on its own thread, spread evenly over some time. */
final class PacedPublisher {

    private final List<Published> published = new ArrayList<>();
    private final Thread thread;
    private volatile int count;
    private volatile boolean done;
    private volatile @Nullable RuntimeException failure;

    PacedPublisher(String name, List<DemoTask> tasks, Duration over, Callable<TaskPublisher> opener) {
        thread = new Thread(() -> run(tasks, over, opener), "publish-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(List<DemoTask> tasks, Duration over, Callable<TaskPublisher> opener) {
        try (TaskPublisher publisher = opener.call()) {
            long start = System.nanoTime();
            for (int i = 0; i < tasks.size(); i++) {
                long due = start + over.toNanos() * i / tasks.size();
                long early = due - System.nanoTime();
                if (early > 0) {
                    TimeUnit.NANOSECONDS.sleep(early);
                }
                long now = System.currentTimeMillis();
                publisher.send(tasks.get(i), now);
                published.add(new Published(tasks.get(i), now * 1_000));
                count = i + 1;
            }
        } catch (InterruptedException e) {
            failure = new IllegalStateException("Publishing was interrupted", e);
        } catch (RuntimeException e) {
            failure = e;
        } catch (Exception e) {
            failure = new IllegalStateException("Publishing failed: " + e, e);
        } finally {
            done = true;
        }
    }

    int count() {
        return count;
    }

    /** Whether all tasks are published and acknowledged. @throws RuntimeException if publishing failed */
    boolean isDone() {
        RuntimeException problem = failure;
        if (problem != null) {
            throw problem;
        }
        return done;
    }

    /** The published tasks. May be called only when {@link #isDone}. */
    List<Published> published() {
        return published;
    }
}
