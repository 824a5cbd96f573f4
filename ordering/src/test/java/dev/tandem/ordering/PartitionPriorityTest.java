package dev.tandem.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.ordering.lanes.Lanes;
import dev.tandem.ordering.lanes.TaskEntry;
import dev.tandem.task.CustodyBounds;
import dev.tandem.task.Delivery;
import dev.tandem.task.Outcome;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.QueuePolicy;
import dev.tandem.task.Source;
import dev.tandem.task.Task;
import dev.tandem.task.store.StoreModel;
import dev.tandem.task.store.StoreRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks of a high priority start first, in whichever partition of the process they are. */
class PartitionPriorityTest {

    private final QueueContext context = new QueueContext(
            Source.Kind.LOG, QueuePolicy.ordered(4), CustodyBounds.DEFAULTS, CoreScript.SETTINGS, "executor");

    private static Lanes lanes(int... priorities) {
        Lanes lanes = new Lanes(10, null, key -> false);
        for (int i = 0; i < priorities.length; i++) {
            Map<String, String> headers = Map.of("tandem-priority", Integer.toString(priorities[i]));
            Task task = new Task(null, "orders", "ship", "k" + i, new byte[0], headers, 0, 0, 0, 0, null);
            lanes.enter(new TaskEntry(Position.of(1, i), "k" + i, i, i, i, task, null, 0, false, null));
        }
        return lanes;
    }

    @Test
    void onlyHigherPrioritiesOfOtherPartitionsCount() {
        Lanes one = lanes(0, 5, 5, 9);
        Lanes other = lanes(0, 0, 3);
        context.waits(one.ready(), 1);
        context.waits(other.ready(), 1);
        assertThat(context.countAbove(0)).isEqualTo(4);
        assertThat(context.countAbove(4)).isEqualTo(3);
        assertThat(context.countAbove(9)).isZero();

        context.waits(one.ready(), -1);
        assertThat(context.countAbove(0)).isEqualTo(1);
        assertThat(context.waitAbove(3)).isFalse();

        context.forgetWaits();
        assertThat(context.waitAbove(0)).isFalse();
    }

    /** An executor of two partitions of a log. Each task has a key of its own, and is named by its partition and offset. */
    private static final class TwoPartitions extends RecordedCommands {
        private static final long EPOCH = 1_790_000_000_000L;

        private final StoreModel store = new StoreModel("redis-1");
        private final ArrayDeque<StoreRequest> unanswered = new ArrayDeque<>();
        private final Map<Partition, Long> offsets = new HashMap<>();
        private final Map<String, Integer> priorities = new TreeMap<>();
        private final QueueCore core;
        private final List<Partition> stalled = new ArrayList<>();
        private final List<String> started = new ArrayList<>();
        private long now = 1_000;

        TwoPartitions(int slots) {
            core = new QueueCore(Source.Kind.LOG, QueuePolicy.ordered(slots), CoreScript.SETTINGS, "executor");
            for (Partition each : List.of(CoreScript.PARTITION, CoreScript.OTHER_PARTITION)) {
                offsets.put(each, 0L);
                turn(() -> core.assigned(each, new Source.Facts(1, "topic", 0, 0), "w" + each.name()));
                turn(() -> core.storeUp(each));
            }
        }

        void turn(Runnable event) {
            core.clock(now, EPOCH + now);
            event.run();
            core.flush(this);
            while (unanswered.stream().anyMatch(each -> !stalled.contains(each.partition()))) {
                StoreRequest next = unanswered.stream()
                        .filter(each -> !stalled.contains(each.partition()))
                        .findFirst()
                        .orElseThrow();
                unanswered.remove(next);
                core.answered(next, store.apply(next, EPOCH + now));
                core.flush(this);
            }
        }

        /** Lets time pass, with the turns that the core asks for. */
        void passes(long millis) {
            long until = now + millis;
            for (long next = core.nextTurn(); next <= until; next = core.nextTurn()) {
                now = Math.max(next, now + 1);
                turn(() -> {});
            }
            now = until;
            turn(() -> {});
        }

        void deliver(Partition partition, int... itsPriorities) {
            List<Delivery> all = new ArrayList<>();
            long offset = offsets.get(partition);
            for (int priority : itsPriorities) {
                String name = partition.name() + "-" + offset;
                priorities.put(name, priority);
                Map<String, String> headers = Map.of("tandem-priority", Integer.toString(priority));
                byte[] payload = name.getBytes(StandardCharsets.US_ASCII);
                all.add(Delivery.of(
                        offset++, new Task(null, "orders", null, "k" + name, payload, headers, 0, 0, 0, 0, null)));
            }
            offsets.put(partition, offset);
            long next = offset;
            turn(() -> core.delivered(partition, all, next));
        }

        /** Returns the highest priority of the tasks that have not started; -1 if all have. */
        int highestWaiting() {
            return priorities.entrySet().stream()
                    .filter(each -> !started.contains(each.getKey()))
                    .mapToInt(Map.Entry::getValue)
                    .max()
                    .orElse(-1);
        }

        @Override
        public void start(Run run) {
            started.add(new String(run.task().payload(), StandardCharsets.US_ASCII));
            super.start(run);
        }

        @Override
        void ends(Run run, Outcome outcome) {
            turn(() -> core.finished(run, outcome));
        }

        @Override
        long now() {
            return now;
        }

        @Override
        public void send(StoreRequest request) {
            unanswered.add(request);
        }

        @Override
        public void reach(Partition partition) {}

        @Override
        public void commit(Partition partition, long upTo) {}

        @Override
        public void confirm(Partition partition) {}
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noTaskStartsWhileOneOfAHigherPriorityWaitsInAnyPartition(long seed) {
        Random random = new Random(seed);
        int slots = 1 + random.nextInt(6);
        TwoPartitions executor = new TwoPartitions(slots);
        for (int step = 0; step < 400 || !executor.running().isEmpty(); step++) {
            int before = executor.started.size();
            if (step < 400 && random.nextBoolean()) {
                executor.deliver(
                        random.nextBoolean() ? CoreScript.PARTITION : CoreScript.OTHER_PARTITION,
                        random.ints(1 + random.nextInt(2), 0, 10).toArray());
            } else if (!executor.running().isEmpty()) {
                executor.succeeds(
                        executor.running().get(random.nextInt(executor.running().size())));
            }
            String at = "seed " + seed + ", step " + step;
            assertThat(executor.running()).as(at).hasSizeLessThanOrEqualTo(slots);
            int waiting = executor.highestWaiting();
            assertThat(executor.started.subList(before, executor.started.size()))
                    .as(at)
                    .allMatch(each -> executor.priorities.get(each) >= waiting);
            if (waiting >= 0) {
                assertThat(executor.running()).as(at).hasSize(slots);
            }
        }
        assertThat(executor.started).as("seed %s", seed).hasSameSizeAs(executor.priorities.keySet());
    }

    @Test
    void lowerPrioritiesGoOnOnceTheStoreOfTheHigherOnesIsSilent() {
        TwoPartitions executor = new TwoPartitions(4);
        executor.stalled.add(CoreScript.OTHER_PARTITION);
        // The first one's claim is on its way, and the others wait for its answer.
        executor.deliver(CoreScript.OTHER_PARTITION, 9);
        executor.deliver(CoreScript.OTHER_PARTITION, 9, 9, 9, 9, 9, 9, 9, 9, 9);
        executor.deliver(CoreScript.PARTITION, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        executor.passes(99);
        assertThat(executor.started).as("slots are left to the higher priority").isEmpty();

        executor.passes(1);
        assertThat(executor.running()).as("but for that of the claim").containsExactly("0-0", "0-1", "0-2");
        executor.succeeds("0-0");
        assertThat(executor.running()).containsExactly("0-1", "0-2", "0-3");

        executor.stalled.clear();
        executor.passes(0);
        executor.succeeds("0-1");
        assertThat(executor.running()).as("the higher ones come first again").contains("1-0", "1-1");
    }
}
