package dev.tandem.server.demo;

import dev.tandem.server.demo.DemoCheck.Published;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Publishes tasks through one door, evenly over some time, on a thread of its own. */
final class DemoPublisher {

    private final List<Published> published = new ArrayList<>();
    private final Thread thread;
    private volatile int count;
    private volatile boolean done;
    private volatile @org.jspecify.annotations.Nullable RuntimeException failure;

    DemoPublisher(String name, List<DemoTask> tasks, Duration over, Supplier<Door> opener) {
        thread = new Thread(() -> run(tasks, over, opener), "publish-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    private void run(List<DemoTask> tasks, Duration over, Supplier<Door> opener) {
        try (Door door = opener.get()) {
            long begun = System.nanoTime();
            for (int i = 0; i < tasks.size(); i++) {
                long due = begun + over.toNanos() * i / tasks.size();
                long early = due - System.nanoTime();
                if (early > 0) {
                    TimeUnit.NANOSECONDS.sleep(early);
                }
                long now = System.currentTimeMillis();
                door.send(tasks.get(i), now);
                published.add(new Published(tasks.get(i), now * 1_000));
                count = i + 1;
            }
        } catch (InterruptedException e) {
            failure = new IllegalStateException("Publishing was interrupted", e);
        } catch (RuntimeException e) {
            failure = e;
        } finally {
            done = true;
        }
    }

    int count() {
        return count;
    }

    /** Whether all is published and acknowledged. @throws RuntimeException if that failed */
    boolean isDone() {
        RuntimeException problem = failure;
        if (problem != null) {
            throw problem;
        }
        return done;
    }

    /** What was published; only when {@link #isDone}. */
    List<Published> published() {
        return published;
    }
}
