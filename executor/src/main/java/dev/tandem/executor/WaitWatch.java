package dev.tandem.executor;

import dev.tandem.ordering.Overflow;
import dev.tandem.ordering.QueueCore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then how much memory the tasks of a queue take, and which wait for want of room, and says so. Used by the loop's
 * thread only.
 */
final class WaitWatch {

    private static final Logger log = LoggerFactory.getLogger(QueueLoop.class);

    private static final long LOG_WINDOW_MILLIS = 60_000;

    private final String queue;
    private final QueueCore core;
    private final LoopSource source;
    private final LoopStatus status;
    private final ExecutorClock clock;
    private final LogRateLimiter expiring;

    WaitWatch(String queue, QueueCore core, LoopSource source, LoopStatus status, ExecutorClock clock) {
        this.queue = queue;
        this.core = core;
        this.source = source;
        this.status = status;
        this.clock = clock;
        this.expiring = new LogRateLimiter(clock, 1, LOG_WINDOW_MILLIS);
    }

    void check() {
        Overflow overflow = core.overflow();
        long retention = overflow.tasks() == 0 ? Long.MAX_VALUE : source.retentionMillis();
        WaitReasons waits = WaitReasons.of(core.fullPartitions(), overflow, clock.wallMillis(), retention);
        if (waits.expires()) {
            expiring.log(notLogged -> log.warn("Queue {}: {}", queue, waits.text()));
        }
        status.waits(waits);
        status.memory(core.bytes());
    }
}
