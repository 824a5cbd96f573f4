package dev.tandem.kafka;

import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps a source's status, and says each change once. Written by the loop's thread, read by any. */
final class Health {

    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    /** What can be wrong, the worst first. */
    enum Trouble {
        /** Never connected so far. */
        START,
        /** No broker answers. */
        LINK,
        /** There is no such topic. */
        TOPIC,
        /** Polls fail. */
        POLL,
        /** Offsets can't be looked up. */
        FACTS
    }

    private final String what;
    private final InstantSource clock;
    private final Map<Trouble, String> troubles = new EnumMap<>(Trouble.class);
    private Instant since;
    private volatile KafkaStatus status;

    Health(KafkaSettings settings, InstantSource clock) {
        this.what = "Queue '" + settings.queue() + "', Kafka topic '" + settings.topic() + "' at "
                + settings.bootstrapServers();
        this.clock = clock;
        this.since = clock.instant();
        this.status = new KafkaStatus(false, since, "not connected yet");
    }

    KafkaStatus status() {
        return status;
    }

    boolean has(Trouble trouble) {
        return troubles.containsKey(trouble);
    }

    void set(Trouble trouble, String why) {
        String known = troubles.put(trouble, why);
        if (known == null) {
            log.warn("{}: {}; trying again until it works", what, why);
        }
        if (!why.equals(known)) {
            changed();
        }
    }

    void clear(Trouble trouble) {
        if (troubles.remove(trouble) != null) {
            changed();
        }
    }

    /** All went well so far: what is not known to be wrong is fine. */
    void connected() {
        if (!status.connected() && troubles.isEmpty()) {
            changed();
        }
    }

    /** What people must know even though all goes on. */
    void warn(String text) {
        log.warn("{}: {}", what, text);
    }

    void info(String text) {
        log.info("{}: {}", what, text);
    }

    private void changed() {
        boolean now = troubles.isEmpty();
        if (now != status.connected()) {
            since = clock.instant();
            if (now) {
                log.info("{}: connected", what);
            }
        }
        status = new KafkaStatus(
                now, since, now ? "connected" : troubles.values().iterator().next());
    }
}
