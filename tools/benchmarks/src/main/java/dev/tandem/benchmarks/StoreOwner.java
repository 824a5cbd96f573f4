package dev.tandem.benchmarks;

import dev.tandem.task.Partition;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An owner of a partition that sends requests to the store as an executor's core does. Used by one thread. */
class StoreOwner implements Store.Listener, AutoCloseable {

    static final String EXECUTOR = "executor-1f3a9c27d4";
    static final long LEASE_MILLIS = 10_000;
    private static final Duration PATIENCE = Duration.ofSeconds(40);

    private final Partition partition;
    private final String writer = "bench-" + Long.toString(System.nanoTime(), 36);
    private final Store.Link link;
    private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    private long number;
    private long epoch;
    private long token;

    StoreOwner(Store store, Partition partition) {
        this.partition = partition;
        this.link = store.link(partition, this);
    }

    Partition partition() {
        return partition;
    }

    void acquire() throws InterruptedException {
        next(String.class); // up
        send(new StoreRequest.Acquire(header(), EXECUTOR, LEASE_MILLIS, -1, "", -1, List.of()));
        epoch = next(StoreAnswer.Acquired.class).epoch();
        token = epoch;
    }

    long nextToken() {
        return ++token;
    }

    /** Returns the head of the next request. */
    RequestHeader header() {
        return new RequestHeader(partition, writer, ++number, epoch);
    }

    void send(StoreRequest request) {
        link.send(request);
    }

    /**
     * Waits for the next answer.
     *
     * @throws IllegalStateException if there is none, or another one
     */
    <T> T next(Class<T> type) throws InterruptedException {
        Object event = events.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (!type.isInstance(event)) {
            throw new IllegalStateException("Expected " + type.getSimpleName() + " from the store, but got " + event);
        }
        return type.cast(event);
    }

    @Override
    public void answered(StoreRequest request, StoreAnswer answer) {
        events.add(answer);
    }

    @Override
    public void down(String reason) {
        events.add(new IllegalStateException(reason));
    }

    @Override
    public void up() {
        events.add("up");
    }

    @Override
    public void woken() {}

    @Override
    public void close() {
        link.close();
    }
}
