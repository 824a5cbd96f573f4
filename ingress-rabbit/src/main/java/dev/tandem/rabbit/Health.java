package dev.tandem.rabbit;

import java.time.InstantSource;
import org.slf4j.Logger;

/** Keeps the status with the broker, and says each change once. Written by one thread, read by any. */
final class Health {

    private final Logger log;
    private final String what;
    private final InstantSource clock;
    private volatile RabbitStatus status;
    private String kind = "";

    Health(Logger log, String what, InstantSource clock) {
        this.log = log;
        this.what = what;
        this.clock = clock;
        this.status = new RabbitStatus(false, clock.instant(), "not connected yet");
    }

    RabbitStatus status() {
        return status;
    }

    void up(String detail) {
        if (!status.connected()) {
            status = new RabbitStatus(true, clock.instant(), detail);
            log.info("{}: {}", what, detail);
        }
        kind = "";
    }

    /** @param kind what tells one trouble from another; the same one is not said twice */
    void down(String kind, String why) {
        boolean same = this.kind.equals(kind);
        status = new RabbitStatus(false, same ? status.since() : clock.instant(), why);
        if (!same) {
            this.kind = kind;
            log.warn("{}: {}; trying again until it works", what, why);
        }
    }

    void closed() {
        status = new RabbitStatus(false, clock.instant(), "closed");
    }

    void info(String text) {
        log.info("{}: {}", what, text);
    }

    /** What people must know even though all goes on. */
    void warn(String text) {
        log.warn("{}: {}", what, text);
    }
}
