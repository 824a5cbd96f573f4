package dev.tandem.server.archive;

import static dev.tandem.testkit.Brokers.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.tandem.runtime.settings.ArchiveSettings;
import dev.tandem.task.event.EventReader;
import dev.tandem.task.event.PublishedEvent;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** A feed before there are tables. */
class ArchiveFeedTest {

    private static final ArchiveSettings SETTINGS = new ArchiveSettings(
            "jdbc:postgresql://127.0.0.1:1/none",
            "",
            "",
            "archive",
            "archive",
            Duration.ofDays(1),
            DataSize.ofMegabytes(1),
            Duration.ofSeconds(1));

    /** Has events that wait, and says how often it was asked to keep them. */
    private static final class Waiting implements EventReader {
        private final AtomicInteger prepared = new AtomicInteger();
        private final AtomicInteger read = new AtomicInteger();

        @Override
        public void keepEvents() {
            prepared.incrementAndGet();
        }

        @Override
        public List<PublishedEvent> read(Duration wait) {
            read.incrementAndGet();
            return List.of();
        }

        @Override
        public void confirm() {}

        @Override
        public void giveBack(Duration pause) {}

        @Override
        public long waiting() {
            return 7;
        }

        @Override
        public long lost() {
            return 0;
        }

        @Override
        public void close() {}
    }

    @Test
    void eventsThatWaitForTablesAreKeptAndSeen() throws Exception {
        Waiting reader = new Waiting();
        try (ArchiveDatabase database = new ArchiveDatabase(SETTINGS)) {
            ArchiveFeed feed = new ArchiveFeed(
                    reader,
                    database,
                    new ArchiveTables("archive"),
                    new OutcomeWriter("archive"),
                    SETTINGS.keep(),
                    InstantSource.system(),
                    ArchiveTables::now);
            Thread thread = new Thread(feed);
            thread.start();
            try {
                await().atMost(PATIENCE).until(() -> reader.prepared.get() > 1);
                assertThat(feed.status().waiting()).isEqualTo(7);
                await().atMost(PATIENCE).until(() -> feed.status().lagSeconds() > 0);
                assertThat(reader.read).hasValue(0);

                feed.tablesExist();

                await().atMost(PATIENCE).until(() -> reader.read.get() > 0);
            } finally {
                feed.stop(thread);
                thread.join();
            }
        }
    }
}
