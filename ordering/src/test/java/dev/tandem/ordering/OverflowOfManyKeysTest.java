package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.DeliveryState;
import dev.tandem.ordering.lanes.Lane;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Recall;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.RequestHeader;
import dev.tandem.task.store.StoreRequest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However many keys have records in the log that were passed over: the log is read about once when they get room. */
class OverflowOfManyKeysTest {

    private static final Partition PARTITION = Partition.of("orders", 0);
    /** One fewer than may overflow, so that another key may, too. */
    private static final int KEYS = 99_999;

    private static final CoreSettings SETTINGS = CoreSettings.DEFAULTS;

    private final QueueContext context =
            new QueueContext(Source.Kind.LOG, QueuePolicy.ordered(16), CustodyBounds.DEFAULTS, SETTINGS, "executor");
    private final PartitionState state = new PartitionState(PARTITION, context, "writer");
    private final DeliveryRouter router = new DeliveryRouter(state, new DeferredTasks(state));
    private final LaneOverflow overflow = state.broker.overflow();
    private final List<String> log = new ArrayList<>();
    private final RecordedCommands commands = new RecordedCommands() {
        @Override
        void ends(Run run, Outcome outcome) {}

        @Override
        long now() {
            return now;
        }

        @Override
        public void commit(Partition partition, long upTo) {}

        @Override
        public void confirm(Partition partition) {}

        @Override
        public void reach(Partition partition) {}
    };
    private long now = 1_000;
    private long turns;
    private long nanos;
    private long read;
    private long brought;
    private long taken;

    @ParameterizedTest
    @CsvSource({"1, false, 0", "3, false, 0", "3, true, 0"})
    void theLogIsReadAboutOnce(int recordsOfEach, boolean shuffled, int ofHaltedKey) {
        overflows(recordsOfEach, shuffled, ofHaltedKey);
        long waiting = (long) KEYS * recordsOfEach;
        for (int i = 0; i < KEYS; i++) {
            Lane lane = state.lanes.lane("k" + i);
            lane.open();
            state.lanes.touch(lane);
        }
        long from = System.nanoTime();
        while (taken < waiting && System.nanoTime() - from < 60_000_000_000L) {
            turn();
        }
        System.out.printf(
                "%,d keys, %d records of each%s, %d between: %,d of %,d taken, %,d read, %,d brought, %,d turns, %.1f us each%n",
                KEYS,
                recordsOfEach,
                shuffled ? " at random" : "",
                ofHaltedKey,
                taken,
                waiting,
                read,
                brought,
                turns,
                nanos / 1e3 / turns);

        assertThat(taken).isEqualTo(waiting);
        assertThat(overflow.count().keys()).isEqualTo(ofHaltedKey == 0 ? 0 : 1);
        assertThat(read).isLessThan(log.size() + log.size() / 5);
        assertThat(brought).isLessThan(waiting + waiting / 5);
    }

    /** Delivers one task of each full lane, which waits in memory, and others that are passed over. */
    private void overflows(int recordsOfEach, boolean shuffled, int ofHaltedKey) {
        owns();
        List<String> later = new ArrayList<>();
        for (int n = 0; n < recordsOfEach; n++) {
            for (int i = 0; i < KEYS; i++) {
                later.add("k" + i);
            }
        }
        if (shuffled) {
            Collections.shuffle(later, new Random(7));
        }
        Stream.concat(Stream.of("halted"), IntStream.range(0, KEYS).mapToObj(i -> "k" + i))
                .forEach(key -> {
                    Lane lane = state.lanes.lane(key);
                    lane.block(Position.of(0, Long.MAX_VALUE));
                    state.lanes.full(lane);
                    lane.add(router.entry(delivery(0, key)));
                });
        for (String key : later) {
            passesOver(key);
            for (int i = 0; i < ofHaltedKey; i++) {
                passesOver("halted");
            }
        }
    }

    private void passesOver(String key) {
        TaskEntry entry = router.entry(delivery(log.size(), key));
        log.add(key);
        state.tracker().delivered(entry);
        assertThat(overflow.passOver(entry)).isTrue();
        state.broker.deliveredUpTo(log.size());
    }

    private void owns() {
        state.ownership.assigned(Source.Facts.NONE, 0);
        state.ownership.acquiring(
                new StoreRequest.Acquire(
                        new RequestHeader(PARTITION, "writer", 1, 0), "executor", 10_000, 1, "topic", 0, List.of()),
                0);
        state.ownership.acquired(7, 1, "run-1");
        state.gate.wantOpen();
        state.gate.takeOpen();
    }

    private static Delivery delivery(long offset, String key) {
        return Delivery.of(offset, Task.of("orders", key, new byte[0]));
    }

    /** A turn of the loop: what was read again ends at once. */
    private void turn() {
        context.clock(now, 1_790_000_000_000L + now);
        int before = commands.recalls().size();
        long from = System.nanoTime();
        overflow.recall(commands);
        nanos += System.nanoTime() - from;
        turns++;
        @Nullable
        Recall recall = commands.recalls().size() > before ? commands.recalls().get(before) : null;
        if (recall != null) {
            answer(recall);
        }
        for (TaskEntry entry = state.lanes.pollReady(); entry != null; entry = state.lanes.pollReady()) {
            if (entry.deliveredAt() > 0) {
                taken++;
                state.tracker().mark(entry, DeliveryState.SETTLED, 0);
            }
            state.lanes.claimAnswered(entry);
            state.lanes.free(entry);
        }
        now += 20;
    }

    private void answer(Recall recall) {
        List<Delivery> found = new ArrayList<>();
        long at = recall.from();
        for (; at < recall.upTo() && found.size() < recall.maxTasks(); at++) {
            if (recall.wants(at) && recall.wants(Task.of("orders", log.get((int) at), new byte[0]))) {
                found.add(delivery(at, log.get((int) at)));
            }
        }
        read += at - recall.from();
        brought += found.size();
        long from = System.nanoTime();
        overflow.recalled(recall.id(), found, at, router);
        nanos += System.nanoTime() - from;
    }
}
