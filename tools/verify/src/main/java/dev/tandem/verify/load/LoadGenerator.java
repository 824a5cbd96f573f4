package dev.tandem.verify.load;

import dev.tandem.task.Publisher;
import dev.tandem.task.Publisher.PublishedId;
import dev.tandem.task.Task;
import dev.tandem.verify.record.Event;
import dev.tandem.verify.record.EventLog;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Publishes a workload at a steady rate, in a thread of its own, and records what was acknowledged. */
public final class LoadGenerator implements AutoCloseable {

    private static final long PAUSE_MILLIS = 100;
    private static final long END_MILLIS = 60_000;

    private final TaskGenerator maker;
    private final String queue;
    private final Publisher publisher;
    private final boolean offsets;
    private final EventLog log;
    private final Thread thread;
    private final Set<String> acknowledged = ConcurrentHashMap.newKeySet();
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile boolean enough;

    /**
     * Not started yet.
     *
     * @param offsets whether the publisher's places are {@code topic:partition:offset}
     * @param perSecond tasks
     */
    public LoadGenerator(
            TaskGenerator maker, String queue, Publisher publisher, boolean offsets, EventLog log, int perSecond) {
        this.maker = maker;
        this.queue = queue;
        this.publisher = publisher;
        this.offsets = offsets;
        this.log = log;
        this.thread = new Thread(() -> run(perSecond), "verify-load");
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Publishes no more, and waits for the answers. */
    public void stop() throws InterruptedException {
        enough = true;
        thread.join();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(END_MILLIS);
        while (underWay.get() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    /** The ids of what the broker has. */
    public Set<String> acknowledged() {
        return acknowledged;
    }

    private void run(int perSecond) {
        long begin = System.nanoTime();
        long skipped = 0;
        for (long number = 0; !enough; number++) {
            long at = begin + skipped + number * 1_000_000_000L / perSecond;
            long late = System.nanoTime() - at;
            if (late > 1_000_000_000L) {
                skipped += late; // the broker was away: no burst afterwards
            }
            while (!enough && System.nanoTime() < at) {
                LockSupport.parkNanos(at - System.nanoTime());
            }
            if (!publish(maker.next(), number)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
            }
        }
    }

    private boolean publish(TaskGenerator.GeneratedTask made, long number) {
        long sentAt = System.nanoTime();
        long delay = made.delay().toMillis();
        long dueAt = delay == 0 ? 0 : sentAt + made.delay().toNanos();
        long now = System.currentTimeMillis();
        Task task = new Task(
                made.id(),
                queue,
                null,
                made.key(),
                made.deed().payload(),
                Map.of(),
                now,
                delay == 0 ? 0 : now + delay,
                0,
                0,
                null);
        underWay.incrementAndGet();
        var answer = publisher.publish(task).toCompletableFuture();
        var unused = answer.handle((published, problem) -> {
            if (problem == null) {
                log.write(acknowledged(made, published, number, sentAt, dueAt));
                acknowledged.add(made.id());
            } else {
                log.write(new Event.Unacknowledged(System.nanoTime(), made.id(), made.key()));
            }
            underWay.decrementAndGet();
            return null;
        });
        return !answer.isCompletedExceptionally();
    }

    private Event acknowledged(
            TaskGenerator.GeneratedTask made, @Nullable PublishedId published, long number, long sentAt, long dueAt) {
        int partition = -1;
        long sequence = number;
        if (offsets && published != null) {
            String[] place = published.place().split(":", -1);
            partition = Integer.parseInt(place[place.length - 2]);
            sequence = Long.parseLong(place[place.length - 1]);
        }
        return new Event.Published(System.nanoTime(), made.id(), made.key(), partition, sequence, sentAt, dueAt);
    }

    @Override
    public void close() {
        enough = true;
        publisher.close();
    }
}
