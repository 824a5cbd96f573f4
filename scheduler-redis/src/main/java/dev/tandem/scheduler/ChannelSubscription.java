package dev.tandem.scheduler;

import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the connection that receives messages of Redis channels. Used by the store's thread only. */
final class ChannelSubscription {

    private static final Logger log = LoggerFactory.getLogger(RedisStore.class);

    private static final long RETRY_MILLIS = 2_000;

    private final StoreThread thread;
    private final RedisTopology topology;
    private final WakeupSubscriber wakeups;
    private final long answerTimeoutMillis;
    private final BooleanSupplier isStoreConnected;
    private boolean failed;
    private boolean closed;

    /** @param isStoreConnected returns whether commands reach Redis, so that a failure here is worth a log line */
    ChannelSubscription(
            StoreThread thread,
            RedisTopology topology,
            WakeupSubscriber wakeups,
            long answerTimeoutMillis,
            BooleanSupplier isStoreConnected) {
        this.thread = thread;
        this.topology = topology;
        this.wakeups = wakeups;
        this.answerTimeoutMillis = answerTimeoutMillis;
        this.isStoreConnected = isStoreConnected;
    }

    /** Connects, again and again until it works. */
    void subscribe() {
        if (closed) {
            return;
        }
        topology.subscriber()
                .whenComplete((connection, failure) -> thread.run(() -> {
                    if (connection != null) {
                        failed = false;
                        wakeups.connected(connection);
                        return;
                    }
                    if (!failed && isStoreConnected.getAsBoolean()) {
                        failed = true;
                        log.warn(
                                "Cannot subscribe to Redis channels, so changes by operators and former owners are"
                                        + " noticed only at the next renewal: {}",
                                RedisFailures.describe(failure));
                    }
                    thread.runAfter(RETRY_MILLIS, this::subscribe);
                }));
    }

    /** Checks that the connection still answers, and makes a new one if not. */
    void check() {
        wakeups.check(answerTimeoutMillis, () -> thread.run(this::subscribe));
    }

    /** Makes no further connections. */
    void close() {
        closed = true;
    }
}
