package dev.tandem.server.archive;

import dev.tandem.kafka.KafkaEventReader;
import dev.tandem.kafka.KafkaSettings;
import dev.tandem.rabbit.RabbitEventQueue;
import dev.tandem.rabbit.RabbitEventQueue.Bound;
import dev.tandem.rabbit.RabbitEventReader;
import dev.tandem.runtime.queues.BrokerSettings;
import dev.tandem.runtime.settings.ArchiveSettings;
import dev.tandem.runtime.settings.ConnectionFiles;
import dev.tandem.runtime.settings.TandemSettings;
import dev.tandem.runtime.settings.TandemSettings.TlsSettings;
import dev.tandem.task.event.EventReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** The archive in PostgreSQL, in Spring's lifecycle. That PostgreSQL is away disturbs nothing else. */
public final class PostgresArchive implements Archive, SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(PostgresArchive.class);

    private static final long UPKEEP_SECONDS = 600;
    private static final long RETRY_SECONDS = 2;
    private static final long STOP_SECONDS = 5;
    /** The time that brokers are given at the start. They may be away, and no task waits for the archive. */
    private static final Duration BROKERS = Duration.ofSeconds(2);

    private record Part(ArchiveFeed feed, Thread thread) {}

    private final ArchiveSettings settings;
    private final ArchiveDatabase database;
    private final ArchiveTables tables;
    private final OutcomeSearch search;
    private final List<ArchiveFeed> feeds = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final ScheduledExecutorService upkeep = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "tandem-archive-upkeep");
        thread.setDaemon(true);
        return thread;
    });
    private final InstantSource clock;
    private volatile @Nullable String problem = "PostgreSQL has not been reached yet";
    private volatile boolean running;

    /** @param all with an archive */
    public PostgresArchive(TandemSettings all, InstantSource clock) {
        this.settings = all.archive();
        this.clock = clock;
        ConnectionFiles.check("tandem.archive", settings.passwordFile(), new TlsSettings("", "", ""));
        this.database = new ArchiveDatabase(settings);
        this.tables = new ArchiveTables(settings.schema());
        this.search = new OutcomeSearch(database, settings.schema(), settings.searchTimeout());
        readers(all)
                .forEach(reader -> feeds.add(new ArchiveFeed(
                        reader,
                        database,
                        tables,
                        new OutcomeWriter(settings.schema()),
                        settings.keep(),
                        clock,
                        ArchiveTables::now)));
    }

    private static List<EventReader> readers(TandemSettings all) {
        List<KafkaSettings> topics = new ArrayList<>();
        List<Bound> bound = new ArrayList<>();
        all.queues().forEach((name, queue) -> {
            if (queue.events().enabled()) {
                switch (queue.effectiveSource()) {
                    case KAFKA ->
                        topics.add(BrokerSettings.kafka(all, name, queue)
                                .withTopic(queue.events().effectiveTopic(name)));
                    case RABBIT ->
                        bound.add(new Bound(
                                BrokerSettings.rabbit(all, name, queue),
                                queue.events().effectiveExchange()));
                }
            }
        });
        ArchiveSettings archive = all.archive();
        List<EventReader> readers = new ArrayList<>();
        if (!topics.isEmpty()) {
            readers.add(new KafkaEventReader(topics, archive.name(), ArchiveFeed.BATCH));
        }
        if (!bound.isEmpty()) {
            readers.add(new RabbitEventReader(bound, rabbitQueue(archive), ArchiveFeed.BATCH));
        }
        return readers;
    }

    /** Returns the queue of RabbitMQ in which events wait for the archive. */
    public static RabbitEventQueue rabbitQueue(ArchiveSettings settings) {
        return new RabbitEventQueue(settings.name(), settings.rabbitMaxBytes().toBytes());
    }

    @Override
    public void start() {
        running = true;
        synchronized (parts) {
            for (int i = 0; i < feeds.size(); i++) {
                Thread thread = new Thread(feeds.get(i), "tandem-archive-" + i);
                thread.setDaemon(true);
                parts.add(new Part(feeds.get(i), thread));
                thread.start();
            }
        }
        upkeep.execute(this::makeTables);
        awaitBrokers();
    }

    /** Waits for a moment until brokers keep the events of the tasks that this server is about to run. */
    private void awaitBrokers() {
        long until = System.nanoTime() + BROKERS.toNanos();
        try {
            for (ArchiveFeed feed : feeds) {
                feed.awaitFirstAttempt(Duration.ofNanos(until - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Makes the tables, then lets the feeds store events. */
    private void makeTables() {
        try (Connection on = database.connection()) {
            tables.migrate(on);
            keepUp(on);
            problem = null;
        } catch (SQLException | RuntimeException e) {
            if (!String.valueOf(e.getMessage()).equals(problem)) {
                problem = String.valueOf(e.getMessage());
                log.warn(
                        "The archive (tandem.archive.url) cannot be used yet: {}. It is tried again every {} s",
                        problem,
                        RETRY_SECONDS);
            }
            upkeep.schedule(this::makeTables, RETRY_SECONDS, TimeUnit.SECONDS);
            return;
        }
        feeds.forEach(ArchiveFeed::tablesExist);
        upkeep.scheduleWithFixedDelay(this::keepUp, UPKEEP_SECONDS, UPKEEP_SECONDS, TimeUnit.SECONDS);
    }

    private void keepUp() {
        try (Connection on = database.connection()) {
            keepUp(on);
            problem = null;
        } catch (SQLException | RuntimeException e) {
            problem = "partitions cannot be created or dropped: " + e.getMessage();
            log.warn(
                    "Archive (tandem.archive.url): {}. It is tried again every {} minutes",
                    problem,
                    TimeUnit.SECONDS.toMinutes(UPKEEP_SECONDS));
        }
    }

    private void keepUp(Connection on) throws SQLException {
        Instant now = ArchiveTables.now(on);
        LocalDate today = ArchiveTables.day(now);
        for (int ahead = 0; ahead <= ArchiveFeed.DAYS_AHEAD; ahead++) {
            tables.ensure(on, today.plusDays(ahead));
        }
        List<LocalDate> dropped = tables.dropBefore(on, ArchiveFeed.firstDay(now, settings.keep()));
        if (!dropped.isEmpty()) {
            log.info("The archive has dropped the ends of {}: tandem.archive.keep is over", dropped);
        }
    }

    @Override
    public void stop() {
        running = false;
        upkeep.shutdownNow();
        synchronized (parts) {
            parts.forEach(part -> part.feed().stop(part.thread()));
            try {
                for (Part part : parts) {
                    part.thread().join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        database.close();
    }

    /** Starts just before this server runs tasks, and stops after that, so that it misses none of their ends. */
    @Override
    public int getPhase() {
        return DEFAULT_PHASE - 1;
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public boolean enabled() {
        return true;
    }

    @Override
    public Found search(Search what, @Nullable String after, int max) {
        return search.search(what, after, max);
    }

    @Override
    public List<ArchivedOutcome> ofTask(String queue, String idOrRef, int max) {
        return search.ofTask(queue, idOrRef, max);
    }

    @Override
    public Status status() {
        List<Status> all = feeds.stream().map(ArchiveFeed::status).toList();
        String firstProblem = problem != null
                ? problem
                : all.stream()
                        .map(Status::problem)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse(null);
        return new Status(
                firstProblem,
                all.stream().mapToDouble(Status::lagSeconds).max().orElse(0),
                all.stream().mapToLong(Status::waiting).sum(),
                all.stream().mapToLong(Status::stored).sum(),
                all.stream().mapToLong(Status::repeated).sum(),
                all.stream().mapToLong(Status::refused).sum(),
                all.stream().mapToLong(Status::lost).sum());
    }
}
