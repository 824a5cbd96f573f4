package dev.tandem.executor;

import dev.tandem.ordering.QueueCore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits a queue's starts as its gates and its circuit breaker say, and logs why fewer tasks start. Used by the loop's thread only. */
final class StartLimiter {

    private static final Logger log = LoggerFactory.getLogger(StartLimiter.class);

    private static final long NO_ROOM_LOG_MILLIS = 60_000;

    private final String queue;
    private final QueueCore core;
    private final CircuitBreaker breaker;
    private final OutcomeCounters counters;
    private final Gates gates;
    private final LogRateLimiter noRoomLog;
    private long succeeded;
    private long failed;
    private long openedAt;
    private String reason = "";
    private boolean withoutRoom;

    StartLimiter(QueueSpec spec, QueueCore core, OutcomeCounters counters, Gates gates, ExecutorClock clock) {
        this.queue = spec.name();
        this.core = core;
        this.breaker = new CircuitBreaker(spec.parts().breaker());
        this.counters = counters;
        this.gates = gates;
        this.noRoomLog = new LogRateLimiter(clock, 1, NO_ROOM_LOG_MILLIS);
    }

    /** Takes the attempts that ended, before the core decides what starts. */
    void turn(long now) {
        gates.bound(core);
        long succeededNow = counters.succeeded.sum();
        long failedNow = counters.failedAttempts.sum();
        if (succeededNow + failedNow == succeeded + failed && now < breaker.nextTurn()) {
            return;
        }
        breaker.ended(succeededNow - succeeded, failedNow - failed, now);
        succeeded = succeededNow;
        failed = failedNow;
        boolean wasClosed = breaker.isClosed();
        if (!breaker.turn(now, core.running())) {
            return;
        }
        if (breaker.isClosed()) {
            core.unlimitStarts();
            log.info("Queue {}: starts are not slowed down any more, after {} s", queue, (now - openedAt) / 1_000);
            return;
        }
        core.limitStarts(breaker.allowed());
        if (wasClosed) {
            openedAt = now;
            reason = breaker.describeWindow(now);
            log.warn(
                    "Queue {}: {}. Starts are slowed down to one a second in this process, until attempts succeed",
                    queue,
                    reason);
        }
    }

    /** Publishes what holds starts back, after the core has decided. */
    void turned(LoopStatus status) {
        gates.turned(core);
        int partitions = core.withoutRoom();
        if (partitions > 0 && !withoutRoom) {
            noRoomLog.log(notLogged -> log.warn(
                    "Queue {}: Redis has no room for more tasks of {} of the partitions. Their fresh tasks wait in the"
                            + " broker; the tasks in Redis go on",
                    queue,
                    partitions));
        }
        withoutRoom = partitions > 0;
        status.withheld(breaker.state(), breaker.isClosed() ? 0 : breaker.allowed(), reason, partitions);
    }

    /** When {@link #turn} is due without any event. */
    long nextTurn() {
        return Math.min(breaker.nextTurn(), gates.nextTurn());
    }
}
