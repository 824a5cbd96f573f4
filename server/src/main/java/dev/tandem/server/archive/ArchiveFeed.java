package dev.tandem.server.archive;

import dev.tandem.server.archive.OutcomeWriter.Written;
import dev.tandem.task.LogText;
import dev.tandem.task.event.EventReader;
import dev.tandem.task.event.EventReader.ReadException;
import dev.tandem.task.event.PublishedEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the events of one kind of broker. It first makes the broker keep them. It reads once tables exist, and confirms a batch after
 * writing it. While PostgreSQL or the broker is away, the events wait in the broker.
 */
final class ArchiveFeed implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(ArchiveFeed.class);

    /** The most events of one batch. */
    static final int BATCH = 1_000;
    /** Days ahead of today that have partitions. An event of a later day is refused: some clock is wrong. */
    static final int DAYS_AHEAD = 2;

    private static final Duration WAIT = Duration.ofMillis(500);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    /** Rests this long after a small batch, so that few events do not cost a transaction each. */
    private static final long REST_MILLIS = 100;

    private static final long LOOK_NANOS = Duration.ofSeconds(5).toNanos();

    /** Tells the time of the database, which is the same for all servers. */
    interface DatabaseClock {
        Instant now(Connection on) throws SQLException;
    }

    private final EventReader reader;
    private final ArchiveDatabase database;
    private final ArchiveTables tables;
    private final OutcomeWriter writer;
    private final Duration keep;
    private final InstantSource clock;
    private final DatabaseClock databaseClock;
    private final EventDecoder decoder = new EventDecoder();
    private final Set<LocalDate> days = new HashSet<>();
    private Duration pause = FIRST_PAUSE;
    private long lookedAt = System.nanoTime() - LOOK_NANOS;

    private final AtomicLong stored = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile long waiting;
    private volatile @Nullable String problem;
    /** The time since which some of what was recorded may not be stored; null if all is, as far as this server knows. */
    private volatile @Nullable Instant behindSince;
    /** When the latest outcome of the last batch was recorded. */
    private @Nullable Instant latest;

    private volatile boolean stopping;

    private boolean reads;
    /** Open once the broker was asked for the first time to keep events. */
    private final CountDownLatch asked = new CountDownLatch(1);
    /** Open once there are tables. */
    private final CountDownLatch tablesExist = new CountDownLatch(1);

    ArchiveFeed(
            EventReader reader,
            ArchiveDatabase database,
            ArchiveTables tables,
            OutcomeWriter writer,
            Duration keep,
            InstantSource clock,
            DatabaseClock databaseClock) {
        this.reader = reader;
        this.database = database;
        this.tables = tables;
        this.writer = writer;
        this.keep = keep;
        this.clock = clock;
        this.databaseClock = databaseClock;
    }

    @Override
    public void run() {
        try (reader) {
            while (!stopping) {
                step();
            }
        }
    }

    /** Hears that there are tables. */
    void tablesExist() {
        tablesExist.countDown();
    }

    /** Waits until the broker keeps events, or could not be asked for it at once, or the time is over. */
    void awaitFirstAttempt(Duration atMost) throws InterruptedException {
        asked.await(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
    }

    /** Ends the thread soon. What it has not written comes again. */
    void stop(Thread thread) {
        stopping = true;
        thread.interrupt();
    }

    /** Has the broker keep events, anew if it was away, and looks how many wait, until there are tables. */
    private void awaitTables() throws InterruptedException {
        try {
            reader.keepEvents();
        } finally {
            asked.countDown();
        }
        problem = null; // As long as there are no tables, that is said by whoever makes them.
        pause = FIRST_PAUSE;
        look();
        if (waiting == 0) {
            behindSince = null;
        } else if (behindSince == null) {
            behindSince = clock.instant();
        }
        reads = tablesExist.await(WAIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void step() {
        try {
            if (!reads) {
                awaitTables();
                return;
            }
            List<PublishedEvent> events = reader.read(WAIT);
            if (events.isEmpty()) {
                behindSince = null;
                if (problem != null && isReachable()) {
                    recovered();
                }
            } else {
                store(events);
                reader.confirm();
                recovered();
                // More events wait, all later: until they are read, the lag is that of the last one stored.
                behindSince = events.size() >= BATCH || waiting > BATCH ? latest : null;
            }
            look();
            if (!events.isEmpty() && events.size() < BATCH / 2) {
                Thread.sleep(REST_MILLIS);
            }
        } catch (InterruptedException e) {
            stopping = true;
        } catch (SQLException e) {
            failed("PostgreSQL does not take events, which wait in the broker: " + text(e));
        } catch (ReadException | IllegalStateException e) {
            failed(text(e));
        } catch (RuntimeException e) {
            if (problem == null) {
                log.error("Archive: an unexpected error", e);
            }
            failed("events are not stored because of an unexpected error: " + text(e));
        }
    }

    private boolean isReachable() {
        try (Connection on = database.connection()) {
            return on.isValid(3);
        } catch (SQLException e) {
            return false;
        }
    }

    private void store(List<PublishedEvent> events) throws SQLException {
        List<ArchivedOutcome> outcomes = new ArrayList<>(events.size());
        events.forEach(event -> decoder.decode(event).ifPresent(outcomes::add));
        outcomes.stream()
                .map(ArchivedOutcome::recordedAt)
                .min(Instant::compareTo)
                .ifPresent(first -> behindSince = first);
        latest = outcomes.stream()
                .map(ArchivedOutcome::recordedAt)
                .max(Instant::compareTo)
                .orElse(null);
        Written written = new Written(0, 0);
        if (!outcomes.isEmpty()) {
            try (Connection on = database.connection()) {
                Instant now = databaseClock.now(on);
                LocalDate today = ArchiveTables.day(now);
                LocalDate first = firstDay(now, keep);
                outcomes.removeIf(outcome -> {
                    LocalDate day = ArchiveTables.day(outcome.recordedAt());
                    return day.isBefore(first) || day.isAfter(today.plusDays(DAYS_AHEAD));
                });
                ensureDays(on, outcomes, first);
                written = outcomes.isEmpty() ? written : writer.write(on, outcomes);
            }
        }
        stored.addAndGet(written.stored());
        refused.addAndGet(events.size() - outcomes.size() + written.refused());
        repeated.addAndGet(outcomes.size() - written.stored() - written.refused());
    }

    private void ensureDays(Connection on, List<ArchivedOutcome> outcomes, LocalDate first) throws SQLException {
        days.removeIf(day -> day.isBefore(first));
        for (ArchivedOutcome outcome : outcomes) {
            LocalDate day = ArchiveTables.day(outcome.recordedAt());
            if (!days.contains(day)) {
                tables.ensure(on, day);
                days.add(day);
            }
        }
    }

    /** Returns the first day that is kept. */
    static LocalDate firstDay(Instant now, Duration keep) {
        return ArchiveTables.day(now.minus(keep));
    }

    private void look() {
        if (System.nanoTime() - lookedAt >= LOOK_NANOS) {
            lookedAt = System.nanoTime();
            waiting = reader.waiting();
        }
    }

    private void recovered() {
        if (problem != null) {
            log.info("The archive stores events again");
        }
        problem = null;
        pause = FIRST_PAUSE;
    }

    private void failed(String why) {
        if (stopping) {
            return; // It was interrupted. What it has read comes again.
        }
        if (problem == null) {
            log.warn("Archive: {}", why);
        }
        problem = why;
        days.clear(); // Somebody may have restored the database.
        reader.giveBack(pause);
        look();
        Duration next = pause.multipliedBy(2);
        pause = next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next;
    }

    private static String text(Exception e) {
        return LogText.oneLine(String.valueOf(e.getMessage()), 500);
    }

    Archive.Status status() {
        Instant waits = behindSince;
        double lag = waits == null
                ? 0
                : Math.max(0, Duration.between(waits, clock.instant()).toMillis() / 1_000.0);
        return new Archive.Status(problem, lag, waiting, stored.get(), repeated.get(), refused.get(), reader.lost());
    }
}
