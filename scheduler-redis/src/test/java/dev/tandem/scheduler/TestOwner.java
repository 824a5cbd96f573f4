package dev.tandem.scheduler;

import dev.tandem.task.Partition;
import dev.tandem.task.store.Incarnation;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.Store;
import dev.tandem.task.store.StoreAnswer;
import dev.tandem.task.store.StoreRequest;
import dev.tandem.task.store.StoreRoom;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Uses a store link as an owner does: one request at a time, unless a test uses the link itself. */
final class TestOwner implements Store.Listener, AutoCloseable {

    static final long LEASE = 10_000;

    final Partition partition;
    final String executor;
    final String writer;
    final Store.Link link;
    final BlockingQueue<Object> events = new LinkedBlockingQueue<>();

    final AtomicInteger wakes = new AtomicInteger();
    volatile StoreRoom room = StoreRoom.HALF;

    long lease = LEASE;
    long number;
    long epoch;
    long token;

    TestOwner(Store store, Partition partition, String executor) {
        this.partition = partition;
        this.executor = executor;
        this.writer = "w-" + executor;
        this.link = store.link(partition, this);
        expect("up");
    }

    @Override
    public void answered(StoreRequest request, StoreAnswer answer) {
        events.add(answer);
    }

    @Override
    public void down(String reason) {
        events.add("down");
    }

    @Override
    public void up() {
        events.add("up");
    }

    @Override
    public void woken() {
        wakes.incrementAndGet();
    }

    @Override
    public void room(StoreRoom now) {
        room = now;
    }

    Object next() {
        return next(Duration.ofSeconds(40));
    }

    Object next(Duration limit) {
        try {
            Object event = events.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
            if (event == null) {
                throw new AssertionError("Nothing came from the store within " + limit);
            }
            return event;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    void expect(String event) {
        Object came = next();
        if (!came.equals(event)) {
            throw new AssertionError("Expected " + event + ", but " + came + " came");
        }
    }

    <T extends StoreAnswer> T ask(StoreRequest request, Class<T> type) {
        link.send(request);
        Object came = next();
        if (!type.isInstance(came)) {
            throw new AssertionError("Expected " + type.getSimpleName() + ", but " + came + " came");
        }
        return type.cast(came);
    }

    RequestHeader header() {
        return new RequestHeader(partition, writer, ++number, epoch);
    }

    StoreRequest.Acquire acquireRequest(List<StoreRequest.PresentedClaim> presented) {
        return new StoreRequest.Acquire(header(), executor, lease, -1, "", -1, presented);
    }

    StoreAnswer.Acquired acquire(StoreRequest.PresentedClaim... presented) {
        StoreAnswer.Acquired acquired = ask(acquireRequest(List.of(presented)), StoreAnswer.Acquired.class);
        epoch = acquired.epoch();
        token = epoch;
        return acquired;
    }

    StoreRequest.SettleAndClaim settleAndClaimRequest(
            List<StoreRequest.Settle> settles, List<StoreRequest.Claim> claims) {
        return new StoreRequest.SettleAndClaim(header(), LEASE, Incarnation.of(0), 0, settles, claims);
    }

    StoreAnswer.SettledAndClaimed settleAndClaim(List<StoreRequest.Settle> settles, List<StoreRequest.Claim> claims) {
        return ask(settleAndClaimRequest(settles, claims), StoreAnswer.SettledAndClaimed.class);
    }

    StoreAnswer.LeasesRenewed renew() {
        return ask(renewRequest(), StoreAnswer.LeasesRenewed.class);
    }

    StoreRequest.RenewLeases renewRequest() {
        return new StoreRequest.RenewLeases(header(), lease, List.of(), new long[0]);
    }

    long nextToken() {
        return ++token;
    }

    @Override
    public void close() {
        link.close();
    }
}
