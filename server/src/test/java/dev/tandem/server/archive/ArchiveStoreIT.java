package dev.tandem.server.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.tandem.runtime.settings.ArchiveSettings;
import dev.tandem.server.archive.Archive.BusySearchException;
import dev.tandem.server.archive.Archive.Search;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventReader;
import dev.tandem.task.event.PublishedEvent;
import dev.tandem.task.event.TaskEvent;
import dev.tandem.testkit.Brokers;
import dev.tandem.testkit.UniqueNames;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.util.unit.DataSize;

/** What is stored of events that come twice, late, or with hostile texts, in a real PostgreSQL. */
class ArchiveStoreIT {

    private static final Duration KEEP = Duration.ofDays(10);
    private static final Instant NOW = Instant.parse("2026-11-24T00:00:01Z");
    private static final Set<String> ALL = Set.of("succeeded", "dead", "expired", "cancelled", "failed", "snoozed");

    private final String schema = UniqueNames.fresh("archive").replace('-', '_');
    private ArchiveSettings settings;
    private ArchiveDatabase database;
    private ArchiveTables tables;
    private OutcomeSearch search;

    @BeforeEach
    void create() throws SQLException {
        settings = new ArchiveSettings(
                Brokers.postgres().address(),
                "",
                "",
                schema,
                "archive",
                KEEP,
                DataSize.ofMegabytes(1),
                Duration.ofSeconds(5));
        database = new ArchiveDatabase(settings);
        tables = new ArchiveTables(schema);
        search = new OutcomeSearch(database, schema, settings.searchTimeout());
        try (Connection on = database.connection()) {
            tables.migrate(on);
            tables.migrate(on); // As the next start does.
        }
    }

    @AfterEach
    void close() {
        database.close();
    }

    /** Gives each event again until it is confirmed, as brokers do. */
    private static final class Redelivering implements EventReader {
        private final Deque<PublishedEvent> waiting = new ArrayDeque<>();
        private final AtomicBoolean dies;

        Redelivering(List<PublishedEvent> events, boolean diesBeforeTheFirstConfirmation) {
            waiting.addAll(events);
            dies = new AtomicBoolean(diesBeforeTheFirstConfirmation);
        }

        @Override
        public void keepEvents() {}

        @Override
        public synchronized List<PublishedEvent> read(Duration wait) {
            return List.copyOf(waiting);
        }

        @Override
        public synchronized void confirm() {
            if (dies.getAndSet(false)) {
                throw new ReadException("the server was killed before it acknowledged", new IllegalStateException());
            }
            waiting.clear();
        }

        synchronized boolean isDone() {
            return waiting.isEmpty();
        }

        @Override
        public void giveBack(Duration pause) {}

        @Override
        public long waiting() {
            return 0;
        }

        @Override
        public long lost() {
            return 0;
        }

        @Override
        public void close() {}
    }

    private static PublishedEvent event(
            EventKind kind, Instant at, int offset, @Nullable String id, @Nullable String key) {
        EventMessage message = EventMessage.of(
                "tandem",
                new TaskEvent(
                        kind,
                        new Partition("orders", "3"),
                        new Position("0:" + offset),
                        offset,
                        ChronoUnit.MICROS.between(Instant.EPOCH, at),
                        id,
                        "ship",
                        key,
                        1,
                        0,
                        0,
                        "web-1",
                        kind == EventKind.SUCCEEDED ? null : "it failed",
                        null),
                null);
        return new PublishedEvent(message.attributes(), message.data());
    }

    private ArchiveFeed feed(EventReader reader) {
        // What is refused goes by the time of PostgreSQL: the clock of this server is wrong.
        InstantSource wrong = InstantSource.fixed(NOW.plus(Duration.ofDays(60)));
        return new ArchiveFeed(reader, database, tables, new OutcomeWriter(schema), KEEP, wrong, on -> NOW);
    }

    private Archive.Status store(Redelivering... readers) throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        List<ArchiveFeed> feeds = new ArrayList<>();
        for (Redelivering reader : readers) {
            ArchiveFeed feed = feed(reader);
            feed.tablesExist();
            feeds.add(feed);
            threads.add(new Thread(feed));
        }
        threads.forEach(Thread::start);
        for (int i = 0; i < readers.length; i++) {
            Redelivering reader = readers[i];
            await().atMost(Duration.ofSeconds(30)).until(reader::isDone);
            feeds.get(i).stop(threads.get(i));
            threads.get(i).join();
        }
        return feeds.get(0).status();
    }

    private List<ArchivedOutcome> found(@Nullable String id, @Nullable String key) {
        return search.search(
                        new Search(List.of("orders"), ALL, id, key, null, NOW.minus(KEEP), NOW.plus(KEEP)), null, 100)
                .outcomes();
    }

    @Test
    void aServerThatIsKilledBetweenRowAndAcknowledgementLeavesOneRow() throws Exception {
        Archive.Status status = store(new Redelivering(List.of(event(EventKind.SUCCEEDED, NOW, 1, "a", null)), true));

        assertThat(found(null, null)).hasSize(1);
        assertThat(status.stored()).isEqualTo(1);
        assertThat(status.repeated()).isEqualTo(1);
    }

    @Test
    void serversThatGetTheSameEventsAtOnceWriteEachRowOnce() throws Exception {
        List<PublishedEvent> there = new ArrayList<>();
        List<PublishedEvent> back = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            PublishedEvent each = event(EventKind.SUCCEEDED, NOW, i, null, null);
            there.add(each);
            back.add(0, each);
        }

        store(new Redelivering(there, false), new Redelivering(back, false));

        List<ArchivedOutcome> all = new ArrayList<>();
        Archive.Found page = null;
        do {
            page = search.search(
                    new Search(List.of("orders"), ALL, null, null, null, NOW.minus(KEEP), NOW.plus(KEEP)),
                    page == null ? null : page.next(),
                    64);
            all.addAll(page.outcomes());
        } while (page.next() != null);
        assertThat(all).hasSize(500).doesNotHaveDuplicates();
    }

    @Test
    void attemptsAroundMidnightAndOutOfOrderBelongToOneTask() throws Exception {
        Instant before = NOW.minusSeconds(2);

        store(new Redelivering(
                List.of(
                        event(EventKind.SUCCEEDED, NOW, 1, "a", "k"),
                        event(EventKind.FAILED, before, 1, "a", "k"),
                        event(EventKind.SUCCEEDED, NOW, 1, "a", "k")),
                true));

        assertThat(search.ofTask("orders", "a", 10))
                .extracting(ArchivedOutcome::kind)
                .containsExactly("failed", "succeeded");
        assertThat(search.ofTask("orders", "@3/0:1", 10)).hasSize(2);
        try (Connection on = database.connection()) {
            assertThat(tables.days(on)).containsExactly(LocalDate.of(2026, 11, 23), LocalDate.of(2026, 11, 24));
        }
    }

    @Test
    void retentionDropsPartitionsAndOlderEventsAreRefused() throws Exception {
        store(new Redelivering(
                List.of(
                        event(EventKind.DEAD, NOW, 1, "new", null),
                        event(EventKind.DEAD, NOW.minus(Duration.ofDays(9)), 2, "old", null)),
                false));
        Archive.Status late = store(new Redelivering(
                List.of(
                        event(EventKind.DEAD, NOW.minus(Duration.ofDays(12)), 3, "too old", null),
                        event(EventKind.DEAD, NOW.plus(Duration.ofDays(4)), 4, "a wrong clock", null),
                        new PublishedEvent(Map.of(), new byte[] {'{', '}'})),
                false));
        assertThat(late.refused()).isEqualTo(3);

        try (Connection on = database.connection()) {
            assertThat(tables.dropBefore(on, LocalDate.of(2026, 11, 20))).containsExactly(LocalDate.of(2026, 11, 15));
        }
        assertThat(found(null, null)).extracting(ArchivedOutcome::id).containsExactly("new");
    }

    @Test
    void anEventWithATimeBeyondTheCalendarIsRefusedAndThoseBesideItAreStored() throws Exception {
        PublishedEvent event = event(EventKind.SUCCEEDED, NOW, 1, "a", null);
        Map<String, String> recorded = new HashMap<>(event.attributes());
        recorded.put("time", "+1000000000-12-31T23:59:59Z");
        String data = new String(event.data(), StandardCharsets.UTF_8);
        byte[] started = data.replaceFirst("\\{", "{\"startedAt\": \"-1000000000-01-01T00:00:00Z\",")
                .getBytes(StandardCharsets.UTF_8);

        Archive.Status status = store(new Redelivering(
                List.of(
                        new PublishedEvent(recorded, event.data()),
                        new PublishedEvent(event.attributes(), started),
                        event(EventKind.SUCCEEDED, NOW, 2, "b", null)),
                false));

        assertThat(status.refused()).isEqualTo(2);
        assertThat(found(null, null)).extracting(ArchivedOutcome::id).containsExactly("b");
    }

    @Test
    void eventsAreStoredWhileAsManySearchesAsMayAreSlow() throws Exception {
        CountDownLatch searching = new CountDownLatch(ArchiveDatabase.SEARCHES);
        CountDownLatch end = new CountDownLatch(1);
        ExecutorService others = Executors.newCachedThreadPool();
        try {
            for (int i = 0; i < 2 * ArchiveDatabase.SEARCHES; i++) {
                others.execute(() -> {
                    try {
                        database.search(on -> {
                            searching.countDown();
                            return isOpen(end);
                        });
                    } catch (SQLException | BusySearchException e) {
                        // The database is closed meanwhile, or the machine is slow.
                    }
                });
            }
            assertThat(isOpen(searching)).isTrue();

            Archive.Status status =
                    store(new Redelivering(List.of(event(EventKind.SUCCEEDED, NOW, 1, "a", null)), false));

            assertThat(status.problem()).isNull();
            assertThat(status.stored()).isEqualTo(1);
        } finally {
            end.countDown();
            others.shutdown();
        }
        assertThat(found(null, null)).hasSize(1);
    }

    @Test
    void aSearchThatOthersKeepFromBeginningDoesNotSayThatPostgresIsAway() throws Exception {
        try (ArchiveDatabase full = new ArchiveDatabase(settings, Duration.ofMillis(50))) {
            OutcomeSearch fourth = new OutcomeSearch(full, schema, settings.searchTimeout());

            full.search(one -> full.search(two -> full.search(three -> {
                assertThatThrownBy(() -> fourth.ofTask("orders", "a", 1))
                        .isInstanceOf(BusySearchException.class)
                        .hasMessageContaining("3 others");
                return true;
            })));
            assertThat(fourth.ofTask("orders", "a", 1)).isEmpty();
        }
    }

    private static boolean isOpen(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    @Test
    void aSearchGivesUpASilentDatabaseSoonerThanEventsDo() throws Exception {
        int searching = database.search(Connection::getNetworkTimeout);

        assertThat(searching).isEqualTo(10_000);
        try (Connection same = database.connection()) {
            assertThat(same.getNetworkTimeout()).isGreaterThan(60_000);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-9223372036854775808\norders\n3\n0:1\ndead",
                "9223372036854775807\norders\n3\n0:1\ndead",
                "soon\norders\n3\n0:1\ndead",
                "1\nor\0ders\n3\n0:1\ndead",
                "1\norders"
            })
    void aPlaceThatSomebodyMadeUpIsNoFailureOfPostgres(String place) {
        Search all = new Search(List.of("orders"), ALL, null, null, null, NOW.minus(KEEP), NOW.plus(KEEP));

        assertThatThrownBy(() -> search.search(all, place, 10)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hostileTextsAreStoredHarmlessAndFound() throws Exception {
        String injection = "'; DROP SCHEMA " + schema + " CASCADE; --";
        String nul = "nul\0 and lone \ud800 surrogate";
        String longKey = "x".repeat(5_000);
        store(new Redelivering(
                List.of(
                        event(EventKind.SUCCEEDED, NOW, 1, injection, longKey + "1"),
                        event(EventKind.SUCCEEDED, NOW, 2, nul, longKey + "2"),
                        event(EventKind.SUCCEEDED, NOW, 3, "{a,\"b\",NULL}", "NULL")),
                false));

        assertThat(found(injection, null)).extracting(ArchivedOutcome::id).containsExactly(injection);
        assertThat(found(nul, null))
                .extracting(ArchivedOutcome::id)
                .containsExactly("nul\ufffd and lone \ufffd surrogate");
        assertThat(found(null, longKey + "1")).extracting(ArchivedOutcome::id).containsExactly(injection);
        assertThat(found(null, "NULL")).extracting(ArchivedOutcome::id).containsExactly("{a,\"b\",NULL}");
        assertThat(found("x' OR '1'='1", null)).isEmpty();
        assertThat(found(null, null)).hasSize(3);
    }
}
