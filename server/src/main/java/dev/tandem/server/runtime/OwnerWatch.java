package dev.tandem.server.runtime;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.runtime.settings.QueueSettings.SourceType;
import dev.tandem.server.inspect.Backlog;
import dev.tandem.server.inspect.NeededOwners;
import dev.tandem.server.inspect.OwnerGaps;
import dev.tandem.server.inspect.UnavailableException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks now and then for partitions on which no executor works, in the whole cluster. Such a partition may be assigned to a
 * process that cannot work, and that nobody looks at. A partition that moves has no owner for a moment, so it is named once
 * that has lasted for a lease; one that was added to a topic, once executors must have noticed it too. One thread of its own
 * looks, so nobody waits. Thread-safe.
 */
final class OwnerWatch implements MeterBinder, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(OwnerWatch.class);

    private static final long PERIOD_MILLIS = 5_000;

    /** How often a broker is asked for its partitions. */
    private static final long LIST_NANOS = TimeUnit.SECONDS.toNanos(30);

    private static final int MOST_NAMES = 20;

    /** Finds partitions without an owner, by the rule of {@link NeededOwners}. */
    @FunctionalInterface
    interface Ownership {
        /**
         * Returns the names of the partitions of a queue that nobody owns.
         *
         * @param ofBroker the names of those that the broker has
         * @throws UnavailableException if the store does not answer
         */
        List<String> unowned(String queue, Set<String> ofBroker);
    }

    private final Map<String, WatchedQueue> queues = new LinkedHashMap<>();
    private final Backlog backlog;
    private final Ownership ownership;
    private final long graceNanos;
    private final Duration notice;
    private final LongSupplier clock;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "tandem-owner-watch");
        made.setDaemon(true);
        return made;
    });

    /**
     * Creates a watch that does nothing before {@link #start}.
     *
     * @param lease for how long a partition may have no owner before it is named
     * @param notice within what time executors notice new partitions of a Kafka topic
     * @param clock as {@link System#nanoTime}
     */
    OwnerWatch(
            Map<String, QueueSettings> settings,
            Backlog backlog,
            Ownership ownership,
            Duration lease,
            Duration notice,
            LongSupplier clock) {
        settings.forEach((name, queue) -> queues.put(name, new WatchedQueue(name, queue)));
        this.backlog = backlog;
        this.ownership = ownership;
        this.graceNanos = lease.toNanos();
        this.notice = notice;
        this.clock = clock;
    }

    void start() {
        Future<?> unused =
                thread.scheduleWithFixedDelay(this::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Looks at all queues. Called by one thread. */
    void look() {
        for (WatchedQueue queue : queues.values()) {
            try {
                queue.look(clock.getAsLong());
            } catch (UnavailableException e) {
                queue.forget(); // Others say that the store does not answer.
            } catch (RuntimeException e) {
                log.warn("Could not look for partitions of queue {} without an owner: {}", queue.name, e.toString());
            }
        }
    }

    /** Describes the partitions on which nobody works, by queue; without queues that have none. */
    Map<String, String> unowned() {
        Map<String, String> texts = new LinkedHashMap<>();
        queues.values().forEach(queue -> {
            if (!queue.named.isEmpty()) {
                texts.put(queue.name, "no executor works on " + queue.describe(queue.named) + ", so tasks wait");
            }
        });
        return texts;
    }

    /** Returns for how long partitions of a queue have had no owner. */
    OwnerGaps gaps(String queue) {
        WatchedQueue watched = queues.get(queue);
        return watched == null ? OwnerGaps.NONE : watched.gaps(clock.getAsLong());
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        queues.values()
                .forEach(queue -> Gauge.builder("tandem.queue.unowned.partitions", queue, it -> it.named.size())
                        .description("Partitions on which no executor has worked for a lease, in the whole cluster")
                        .tag("queue", queue.name)
                        .register(registry));
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** One queue. Used by the thread that looks, except for the volatile fields. */
    private final class WatchedQueue {

        private final String name;
        private final QueueSettings settings;
        private volatile Set<String> ofBroker = Set.of();
        private long listAt;
        private boolean listed;
        /** Since when each partition has had no owner. */
        private volatile Map<String, Long> since = Map.of();
        /** Partitions without an owner that the broker has got since this watch began. */
        private final Set<String> added = new HashSet<>();

        /** The partitions that have had no owner for a lease. */
        private volatile List<String> named = List.of();

        WatchedQueue(String name, QueueSettings settings) {
            this.name = name;
            this.settings = settings;
        }

        void look(long now) {
            if (!listed || now - listAt >= 0) {
                Set<String> names = list();
                if (!ofBroker.isEmpty()) {
                    names.stream().filter(each -> !ofBroker.contains(each)).forEach(added::add);
                }
                ofBroker = names;
                listed = true;
                listAt = now + LIST_NANOS;
            }
            Map<String, Long> found = new LinkedHashMap<>();
            ownership.unowned(name, ofBroker).forEach(each -> found.put(each, since.getOrDefault(each, now)));
            since = Map.copyOf(found);
            added.retainAll(found.keySet());
            Set<String> late = new TreeSet<>(NeededOwners.BY_NUMBER);
            found.forEach((each, from) -> {
                if (now - from >= (added.contains(each) ? usual().toNanos() : graceNanos)) {
                    late.add(each);
                }
            });
            note(List.copyOf(late));
        }

        /** Returns for how long a partition that was added may have no owner. */
        private Duration usual() {
            Duration lease = Duration.ofNanos(graceNanos);
            return settings.effectiveSource() == SourceType.KAFKA ? notice.plus(lease) : lease;
        }

        OwnerGaps gaps(long now) {
            Map<String, Duration> lasting = new LinkedHashMap<>();
            since.forEach((partition, from) -> lasting.put(partition, Duration.ofNanos(now - from)));
            return new OwnerGaps(lasting, usual());
        }

        private Set<String> list() {
            Set<String> names = NeededOwners.ofBroker(settings, backlog.of(name));
            return names.isEmpty() ? ofBroker : names; // The broker does not answer.
        }

        private void note(List<String> late) {
            if (late.equals(named)) {
                return;
            }
            if (late.isEmpty()) {
                log.info("Queue {}: executors work on all partitions again", name);
            } else {
                log.warn(
                        "Queue {}: no executor has worked on {} for {} s or more, so tasks wait. Look at the health"
                                + " of each server, and at ./tandem executors",
                        name,
                        describe(late),
                        TimeUnit.NANOSECONDS.toSeconds(graceNanos));
            }
            named = late;
        }

        private String describe(List<String> names) {
            if (names.size() > 1 && names.size() == ofBroker.size() && ofBroker.containsAll(names)) {
                return "all " + names.size() + " partitions";
            }
            String first = names.stream().limit(MOST_NAMES).collect(Collectors.joining(", "));
            return (names.size() == 1 ? "partition " : "partitions ")
                    + first
                    + (names.size() > MOST_NAMES ? " and " + (names.size() - MOST_NAMES) + " more" : "");
        }

        /** Knows nothing any more. */
        void forget() {
            since = Map.of();
            named = List.of();
        }
    }
}
