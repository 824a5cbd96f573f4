package dev.tandem.verify.load;

import dev.tandem.kit.JsonLinesLog;
import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.verify.load.TaskGenerator.GeneratedTask;
import dev.tandem.verify.record.Event;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Publishes tasks at a steady rate in its own thread, and records which of them the broker acknowledged. */
public final class LoadGenerator implements AutoCloseable {

    private static final long PAUSE_AFTER_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long MAX_LATE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LAST_ANSWERS_MILLIS = 60_000;

    private final TaskGenerator tasks;
    private final String queue;
    private final Publisher publisher;
    private final boolean offsets;
    private final JsonLinesLog<Event> log;
    private final Consumer<String> listener;
    private final Thread thread;
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger unanswered = new AtomicInteger();
    private volatile boolean stopped;

    /**
     * Creates a generator that is not started.
     *
     * @param offsets whether the publisher reports places as {@code topic:partition:offset}
     * @param perSecond tasks per second
     * @param listener hears of each task that was acknowledged, on any thread
     */
    public LoadGenerator(
            TaskGenerator tasks,
            String queue,
            Publisher publisher,
            boolean offsets,
            JsonLinesLog<Event> log,
            int perSecond,
            Consumer<String> listener) {
        this.tasks = tasks;
        this.queue = queue;
        this.publisher = publisher;
        this.offsets = offsets;
        this.log = log;
        this.listener = listener;
        this.thread = new Thread(() -> run(perSecond), "verify-load");
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Stops publishing and waits for outstanding answers. */
    public void stop() throws InterruptedException {
        stopped = true;
        thread.join();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LAST_ANSWERS_MILLIS);
        while (unanswered.get() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** Returns the ids of the acknowledged tasks. */
    public Set<String> acknowledged() {
        return acknowledged;
    }

    private void run(int perSecond) {
        long begin = System.nanoTime();
        long skipped = 0;
        for (long number = 0; !stopped; number++) {
            long at = begin + skipped + number * 1_000_000_000L / perSecond;
            long late = System.nanoTime() - at;
            if (late > MAX_LATE_NANOS) {
                skipped += late; // the broker was down: do not catch up in a burst
            }
            while (!stopped && System.nanoTime() < at) {
                LockSupport.parkNanos(at - System.nanoTime());
            }
            if (!publish(tasks.next(), number)) {
                LockSupport.parkNanos(PAUSE_AFTER_FAILURE_NANOS);
            }
        }
    }

    /** Publishes a task. Returns false if that failed at once. */
    private boolean publish(GeneratedTask generated, long number) {
        long sentAt = System.nanoTime();
        long delay = generated.delay().toMillis();
        long dueAt = delay == 0 ? 0 : sentAt + generated.delay().toNanos();
        long now = System.currentTimeMillis();
        Task task = new Task(
                generated.id(),
                queue,
                FeatureTasks.type(generated.id()),
                generated.key(),
                generated.instruction().payload(),
                FeatureTasks.headers(generated.id()),
                now,
                delay == 0 ? 0 : now + delay,
                0,
                0,
                FeatureTasks.dedupKey(generated.id()));
        unanswered.incrementAndGet();
        var answer = publisher.publish(task).toCompletableFuture();
        var unused = answer.handle((published, problem) -> {
            if (problem == null) {
                log.write(publishedEvent(generated, published, number, sentAt, dueAt));
                acknowledged.add(generated.id());
                listener.accept(generated.id());
            } else {
                log.write(new Event.Unacknowledged(System.nanoTime(), generated.id(), generated.key()));
            }
            unanswered.decrementAndGet();
            return null;
        });
        return !answer.isCompletedExceptionally();
    }

    private Event publishedEvent(
            GeneratedTask task, @Nullable PublishedId published, long number, long sentAt, long dueAt) {
        int partition = -1;
        long sequence = number;
        if (offsets && published != null) {
            String[] place = published.place().split(":", -1);
            partition = Integer.parseInt(place[place.length - 2]);
            sequence = Long.parseLong(place[place.length - 1]);
        }
        return new Event.Published(System.nanoTime(), task.id(), task.key(), partition, sequence, sentAt, dueAt);
    }

    @Override
    public void close() {
        stopped = true;
        publisher.close();
    }
}
