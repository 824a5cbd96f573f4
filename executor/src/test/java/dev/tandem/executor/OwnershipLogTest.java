package dev.tandem.executor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.executor.OwnershipLog.Line;
import dev.tandem.ordering.CoreEvent;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.store.StoreAnswer.BlockReason;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class OwnershipLogTest {

    private static final Partition P3 = Partition.of("orders", 3);
    private static final long EPOCH = 1_790_000_000_000_123L;

    private final OwnershipLog log = new OwnershipLog();

    private static CoreEvent acquired(int partition) {
        return new CoreEvent.Acquired(Partition.of("orders", partition), EPOCH, 0, 0);
    }

    private List<String> infoLines(long now) {
        return texts(log.takeDue(now), Level.INFO);
    }

    private static List<String> texts(List<Line> lines, Level level) {
        return lines.stream()
                .filter(line -> line.level() == level)
                .map(Line::text)
                .toList();
    }

    @Test
    void anOwnershipIsOneInfoLineWithItsEpoch() {
        log.add(new CoreEvent.Acquired(P3, EPOCH, 1, 2));
        log.add(new CoreEvent.Released(P3, EPOCH));
        log.add(new CoreEvent.Acquired(P3, EPOCH + 1, 0, 1));
        log.add(new CoreEvent.Fenced(P3, EPOCH + 1));
        log.add(new CoreEvent.Lost(P3, EPOCH + 1));

        assertThat(infoLines(0))
                .containsExactly(
                        "orders/3: acquired, epoch 1790000000000123, 2 keys blocked, 1 claim of other executors",
                        "orders/3: released, epoch 1790000000000123",
                        "orders/3: acquired, epoch 1790000000000124, 1 key blocked, 0 claims of other executors",
                        "orders/3: fenced, epoch 1790000000000124: another executor has acquired it since",
                        "orders/3: lost, epoch 1790000000000124: without a release by this executor");
        assertThat(log.takeDue(0)).as("the second time").isEmpty();
    }

    @Test
    void manyEventsOfOneTurnAreSummedUpAndTheirEpochsAreAtDebug() {
        for (int partition = 0; partition < 250; partition++) {
            log.add(acquired(partition));
        }
        log.add(new CoreEvent.Lost(P3, EPOCH));

        List<Line> lines = log.takeDue(0);
        assertThat(texts(lines, Level.INFO))
                .containsExactly(
                        "orders: acquired 250 partitions (0-249)",
                        "orders/3: lost, epoch 1790000000000123: without a release by this executor");
        assertThat(texts(lines, Level.DEBUG))
                .hasSize(250)
                .contains("orders/3: acquired, epoch 1790000000000123, 0 keys blocked, 0 claims of other executors");
    }

    @Test
    void eightEventsOfOneKindAreLoggedOneByOne() {
        for (int partition = 0; partition < OwnershipLog.MAX_LINES; partition++) {
            log.add(acquired(partition));
        }

        assertThat(infoLines(0)).hasSize(8).allMatch(line -> line.contains("epoch"));
    }

    @Test
    void eventsThatComeInManyTurnsAreSummedUpAfterASecond() {
        int partition = 0;
        for (int turn = 0; turn < 4; turn++) {
            log.add(acquired(partition++));
            log.add(acquired(partition++));
            assertThat(infoLines(turn)).hasSize(2);
        }
        for (int turn = 4; turn < 500; turn++) {
            log.add(acquired(partition++));
            log.add(acquired(partition++));
            assertThat(infoLines(turn)).isEmpty();
        }

        assertThat(infoLines(OwnershipLog.WINDOW_MILLIS - 1)).isEmpty();
        assertThat(infoLines(OwnershipLog.WINDOW_MILLIS)).containsExactly("orders: acquired 992 partitions (8-999)");
    }

    @Test
    void keptBackEventsAreLoggedAtTheEnd() {
        for (int partition = 0; partition < 8; partition++) {
            log.add(acquired(partition));
        }
        assertThat(infoLines(0)).hasSize(8);
        log.add(new CoreEvent.Released(P3, EPOCH));
        assertThat(infoLines(1)).isEmpty();

        assertThat(texts(log.takeAll(), Level.INFO)).containsExactly("orders/3: released, epoch 1790000000000123");
    }

    @Test
    void everyKindHasItsSummary() {
        for (int partition = 0; partition < 9; partition++) {
            Partition each = Partition.of("orders", partition);
            log.add(new CoreEvent.Released(each, EPOCH));
            log.add(new CoreEvent.Fenced(each, EPOCH));
            log.add(new CoreEvent.Lost(each, EPOCH));
        }

        assertThat(infoLines(0))
                .containsExactly(
                        "orders: released 9 partitions (0-8)",
                        "orders: fenced on 9 partitions (0-8)",
                        "orders: lost 9 partitions (0-8)");
    }

    @Test
    void keysAreLoggedAtDebugOnly() {
        log.add(new CoreEvent.KeyBlocked(P3, "customer-7", BlockReason.HEAD, Position.of(1, 42)));
        log.add(new CoreEvent.KeyOpened(P3, "customer-7"));

        assertThat(log.takeDue(0))
                .containsExactly(
                        new Line(Level.DEBUG, "orders/3: blocked key 'customer-7' (HEAD), head 1:42"),
                        new Line(Level.DEBUG, "orders/3: opened key 'customer-7'"));
    }

    @Test
    void keysAreCutAndCannotForgeALine() {
        log.add(new CoreEvent.KeyOpened(P3, "a\nb" + "x".repeat(1_000)));

        assertThat(log.takeDue(0))
                .containsExactly(new Line(Level.DEBUG, "orders/3: opened key 'a?b" + "x".repeat(61) + "…'"));
    }
}
