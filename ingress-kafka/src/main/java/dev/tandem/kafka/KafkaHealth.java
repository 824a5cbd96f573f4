package dev.tandem.kafka;

import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the status of a source and logs each change once. Written by the polling thread, read by any thread. */
final class KafkaHealth {

    private static final Logger log = LoggerFactory.getLogger(KafkaSource.class);

    /** Problems that may exist at the same time. The status shows the first one in this order. */
    enum Problem {
        /** No connection was made so far. */
        NEVER_CONNECTED("No tasks arrive until that works; retrying every second."),
        /** No broker answers. */
        BROKERS_UNREACHABLE(
                "No new tasks arrive until one answers; check the brokers and the network. The client keeps retrying."),
        /** The topic was deleted. */
        TOPIC_MISSING("No tasks arrive until it exists; checking every second."),
        /** Polls fail. */
        POLL_FAILING("No new tasks arrive until polls succeed; retrying every second."),
        /** Offsets of a partition cannot be looked up. */
        OFFSETS_UNKNOWN("Its tasks wait in Kafka until they are known; retrying every second.");

        private final String consequence;

        Problem(String consequence) {
            this.consequence = consequence;
        }
    }

    private final String prefix;
    private final InstantSource clock;
    private final Map<Problem, String> problems = new EnumMap<>(Problem.class);
    private Instant since;
    private volatile KafkaStatus status;
    /** Written by the polling thread only. */
    private volatile long misplaced;

    KafkaHealth(KafkaSettings settings, InstantSource clock) {
        this.prefix = "Queue '" + settings.queue() + "', Kafka topic '" + settings.topic() + "' at "
                + settings.bootstrapServers();
        this.clock = clock;
        this.since = clock.instant();
        this.status = new KafkaStatus(false, since, "not connected yet", 0);
    }

    KafkaStatus status() {
        return status.withMisplaced(misplaced);
    }

    /** Counts records outside of their keys' partitions. */
    void misplaced(long more) {
        misplaced = misplaced + more;
    }

    /** Records a problem. Logs it unless the same kind of problem exists already. */
    void report(Problem problem, String why) {
        String known = problems.put(problem, why);
        if (known == null) {
            log.warn("{}: {}. {}", prefix, why, problem.consequence);
        }
        if (!why.equals(known)) {
            updateStatus();
        }
    }

    void resolve(Problem problem) {
        if (problems.remove(problem) != null) {
            updateStatus();
        }
    }

    /** Sets the status to connected unless a problem is known. */
    void connected() {
        if (!status.connected() && problems.isEmpty()) {
            updateStatus();
        }
    }

    /** Logs something that people must know although the source works. */
    void warn(String text) {
        log.warn("{}: {}", prefix, text);
    }

    void info(String text) {
        log.info("{}: {}", prefix, text);
    }

    private void updateStatus() {
        boolean connected = problems.isEmpty();
        if (connected != status.connected()) {
            since = clock.instant();
            if (connected) {
                log.info("{}: connected", prefix);
            }
        }
        status = new KafkaStatus(connected, since, connected ? "connected" : worst(), 0);
    }

    /** Returns the first problem, with what follows from it: whoever reads the status has not read the log. */
    private String worst() {
        Map.Entry<Problem, String> first = problems.entrySet().iterator().next();
        return first.getValue() + ". " + first.getKey().consequence;
    }
}
