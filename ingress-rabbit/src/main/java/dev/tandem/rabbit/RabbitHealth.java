package dev.tandem.rabbit;

import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the status of a source and logs each change once. Written by the loop's thread, read by any thread. */
final class RabbitHealth implements QueueLog {

    private static final Logger log = LoggerFactory.getLogger(RabbitSource.class);

    private final String prefix;
    private final InstantSource clock;
    private volatile RabbitStatus status;
    private volatile Optional<ForgottenQueues> forgotten = Optional.empty();
    private String problem = "";

    RabbitHealth(RabbitSettings settings, InstantSource clock) {
        this.prefix = "Queue '" + settings.queue() + "', RabbitMQ at " + settings.address();
        this.clock = clock;
        this.status = new RabbitStatus(false, clock.instant(), "not connected yet", null);
    }

    RabbitStatus status() {
        return status.beside(forgotten.map(ForgottenQueues::says).orElse(null));
    }

    void connected(String detail) {
        if (!status.connected()) {
            status = new RabbitStatus(true, clock.instant(), detail, null);
            log.info("{}: {}", prefix, detail);
        }
        problem = "";
    }

    /**
     * Sets the status to not connected.
     *
     * @param kind tells problems apart: the same one is logged once
     * @param consequence for the log: what the problem means for tasks
     */
    void disconnected(String kind, String why, String consequence) {
        boolean known = problem.equals(kind);
        status = new RabbitStatus(false, known ? status.since() : clock.instant(), why, null);
        if (!known) {
            problem = kind;
            log.warn("{}: {}. {}", prefix, why, consequence);
        }
    }

    void closed() {
        status = new RabbitStatus(false, clock.instant(), "closed", null);
    }

    /** Logs when such queues are found, and when they are gone. Called by the broker thread, or that of the ring. */
    @Override
    public void forgotten(Optional<ForgottenQueues> found) {
        if (found.isPresent() && forgotten.isEmpty()) {
            QueueLog.super.forgotten(found);
        } else if (found.isEmpty() && forgotten.isPresent()) {
            info("the queues that another ordering had left are gone");
        }
        forgotten = found;
    }

    @Override
    public void info(String text) {
        log.info("{}: {}", prefix, text);
    }

    @Override
    public void warn(String text) {
        log.warn("{}: {}", prefix, text);
    }
}
