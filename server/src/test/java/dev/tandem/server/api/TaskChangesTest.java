package dev.tandem.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.AuditKind;
import dev.tandem.server.access.AuditLog;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The changes of a task that the audit log has: how much of it is read for them. */
class TaskChangesTest {

    private static final Instant PUBLISHED = Instant.parse("2026-11-20T10:00:00Z");
    private static final String TASK = "task a-1 of queue orders";

    /** The entries, the earliest first, and from when on each request wanted some. */
    private static final class Log implements AuditLog {

        final List<AuditEntry> entries = new ArrayList<>();
        final List<Instant> asked = new ArrayList<>();

        @Override
        public void record(AuditKind kind, AuditEntry entry) {
            entries.add(entry);
        }

        void add(int second, String subject) {
            Instant at = PUBLISHED.plusSeconds(second);
            record(AuditKind.CHANGES, entry(at, subject));
        }

        /** Adds a change of a task as it is recorded now. */
        void addOf(int second, String task) {
            AuditEntry entry = entry(PUBLISHED.plusSeconds(second), AuditInterceptor.task("orders", task));
            record(AuditKind.CHANGES, entry.about("orders", task));
        }

        private static AuditEntry entry(Instant at, String subject) {
            return AuditEntries.of(subject)
                    .id(at.toEpochMilli() + "-0")
                    .at(at)
                    .by("ann")
                    .action("retry")
                    .entry();
        }

        @Override
        public List<AuditEntry> page(AuditKind kind, @Nullable Instant from, @Nullable String before, int max) {
            assertThat(kind).isEqualTo(AuditKind.CHANGES);
            asked.add(from);
            List<AuditEntry> found = new ArrayList<>(entries.stream()
                    .filter(entry -> from == null || !entry.at().isBefore(from))
                    .toList());
            Collections.reverse(found);
            return found.subList(0, Math.min(max, found.size()));
        }
    }

    private final Log log = new Log();
    private final TaskChanges changes = of("a-1", PUBLISHED.plusMillis(5));

    private TaskChanges of(String id, @Nullable Instant began) {
        return new TaskChanges(log, "orders", List.of(id, "@0/1:1"), PUBLISHED, began);
    }

    private List<Instant> times() {
        return changes.read().changes().stream().map(AuditEntry::at).toList();
    }

    @Test
    void whatHasComeSinceIsAllThatIsReadAgain() {
        log.add(1, TASK);
        log.add(2, "task other of queue orders");
        assertThat(times()).containsExactly(PUBLISHED.plusSeconds(1));

        log.add(3, TASK + " (only=dead)");
        log.add(3, "task other of queue orders");
        assertThat(times()).containsExactly(PUBLISHED.plusSeconds(1), PUBLISHED.plusSeconds(3));
        assertThat(times()).hasSize(2);
        assertThat(changes.read().complete()).isTrue();
        assertThat(log.asked.get(0)).isBefore(PUBLISHED).isAfter(PUBLISHED.minusSeconds(86_400));
        assertThat(log.asked.get(1)).isEqualTo(PUBLISHED.plusSeconds(2));
        assertThat(log.asked.get(2)).isEqualTo(PUBLISHED.plusSeconds(3));
    }

    @Test
    void aLogThatIsTooLongIsReadInPartWhichIsSaid() {
        log.add(1, TASK);
        for (int i = 0; i < TaskChanges.MOST_READ; i++) {
            log.add(2 + i, i == TaskChanges.MOST_READ - 1 ? TASK : "queue orders");
        }

        assertThat(times()).containsExactly(PUBLISHED.plusSeconds(TaskChanges.MOST_READ + 1));
        assertThat(changes.read().complete()).isFalse();
    }

    @Test
    void aTaskIsNotTakenForOneWhoseIdBeginsLikeItOrMakesUpAQueue() {
        log.addOf(1, "a-1");
        log.addOf(2, "a-1 of queue orders (x");
        log.addOf(3, "@0/1:1");
        log.addOf(4, "a-10");
        assertThat(times()).containsExactly(PUBLISHED.plusSeconds(1), PUBLISHED.plusSeconds(3));

        String beginning = "long".repeat(60);
        log.addOf(5, beginning + "one");
        log.addOf(6, beginning + "other");
        assertThat(of(beginning + "other", PUBLISHED).read().changes())
                .extracting(AuditEntry::at)
                .containsExactly(PUBLISHED.plusSeconds(3), PUBLISHED.plusSeconds(6));
    }

    @Test
    void aPublisherWhoseClockIsAheadHidesNoChange() {
        log.add(-7_200, TASK);

        assertThat(of("a-1", PUBLISHED.minusSeconds(7_000)).read().changes())
                .as("it began before it was published")
                .hasSize(1);
        assertThat(of("a-1", null).read()).satisfies(known -> {
            assertThat(known.changes()).as("nobody knows when it was published").hasSize(1);
            assertThat(known.complete()).isTrue();
        });
        for (int i = 0; i < TaskChanges.MOST_READ; i++) {
            log.add(i, "queue orders");
        }
        assertThat(of("a-1", null).read().complete()).isFalse();
    }
}
