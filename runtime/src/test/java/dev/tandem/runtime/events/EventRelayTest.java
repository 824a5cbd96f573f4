package dev.tandem.runtime.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.scheduler.EventFeed.Batch;
import dev.tandem.task.Partition;
import dev.tandem.task.Position;
import dev.tandem.task.Publisher.PublishException;
import dev.tandem.task.event.EventKind;
import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventPublisher;
import dev.tandem.task.event.TaskEvent;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that recorded events are published in order, and removed only when the broker has confirmed them. */
class EventRelayTest {

    private static final Partition PARTITION = Partition.of("orders", 0);

    /** The events that the store has. It returns two of them in a batch. */
    private final List<Long> stored = new ArrayList<>();

    private final List<String> published = new ArrayList<>();
    private final List<String> data = new ArrayList<>();
    private final Deque<Runnable> steps = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final List<Duration> pauses = new ArrayList<>();
    private final Counts counts = new Counts();
    private boolean owner = true;
    private boolean ownerUnknown;
    private boolean brokerAway;
    private @Nullable Error error;
    private boolean storeAway;
    private long dropped;
    private Runnable onTake = () -> {};

    private final EventRelay relay = new EventRelay("orders", "tandem", "ship", new Broker(), counts, new Work());

    private static final class Counts implements EventMetrics {
        private long published;
        private long dropped;
        private long waiting;
        private boolean broken;

        @Override
        public void published(String queue, int events) {
            published += events;
            if (broken) {
                throw new IllegalStateException("nobody counts");
            }
        }

        @Override
        public void dropped(String queue, long events) {
            dropped += events;
        }

        @Override
        public void waiting(String queue, String partition, long bytes) {
            waiting = bytes;
        }
    }

    private final class Broker implements EventPublisher {
        @Override
        public void publish(List<EventMessage> events) {
            if (brokerAway) {
                throw new PublishException("nobody is there");
            }
            if (error != null) {
                throw error;
            }
            events.forEach(event -> {
                published.add(Long.toString(Long.parseLong(event.attributes().get("sequence"))));
                data.add(new String(event.data(), StandardCharsets.UTF_8));
            });
        }

        @Override
        public void close() {}
    }

    private final class Work implements EventRelay.Effects {
        @Override
        public boolean isOwner(Partition partition) {
            if (ownerUnknown) {
                throw new IllegalStateException("who knows");
            }
            return owner;
        }

        @Override
        public CompletionStage<Batch> take(Partition partition, @Nullable Batch confirmed) {
            if (storeAway) {
                return CompletableFuture.failedFuture(new IllegalStateException("no answer"));
            }
            if (confirmed != null) {
                confirmed.events().forEach(event -> stored.remove(event.number()));
            }
            List<TaskEvent> next =
                    stored.stream().limit(2).map(EventRelayTest::event).toList();
            Batch batch = new Batch(next, dropped, stored.size(), new byte[16], 1);
            dropped = 0;
            onTake.run();
            return CompletableFuture.completedFuture(batch);
        }

        @Override
        public void run(Runnable step) {
            steps.add(step);
        }

        @Override
        public void runAfter(Duration pause, Runnable step) {
            pauses.add(pause);
            later.add(step);
        }
    }

    /** Returns an event of a task that names a type if the number is odd. */
    private static TaskEvent event(long number) {
        return new TaskEvent(
                EventKind.SUCCEEDED,
                PARTITION,
                Position.of(0, number),
                number,
                1_800_000_000_000_000L,
                null,
                number % 2 == 0 ? null : "bill",
                null,
                1,
                0,
                0,
                "executor",
                null,
                null);
    }

    private void record(long... numbers) {
        for (long number : numbers) {
            stored.add(number);
        }
    }

    private void runAll() {
        for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
            step.run();
        }
    }

    @Test
    void eventsArePublishedInOrderBatchByBatchAndRemoved() {
        record(0, 1, 2, 3, 4);
        relay.heard(PARTITION);
        runAll();
        assertThat(published).containsExactly("0", "1", "2", "3", "4");
        assertThat(stored).isEmpty();
        assertThat(counts.published).isEqualTo(5);
        assertThat(counts.waiting).isZero();
    }

    @Test
    void aTaskThatNamesNoTypeHasTheDefaultTypeOfItsQueue() {
        record(0, 1);
        relay.heard(PARTITION);
        runAll();
        assertThat(data.get(0)).contains("\"type\":\"ship\"");
        assertThat(data.get(1)).contains("\"type\":\"bill\"");
    }

    @Test
    void manySignalsCostOneStep() {
        for (int i = 0; i < 100; i++) {
            relay.heard(PARTITION);
        }
        assertThat(steps).hasSize(1);
    }

    @Test
    void whatIsRecordedWhileTheStoreAnswersIsPublishedToo() {
        onTake = () -> {
            onTake = () -> {};
            record(7);
            relay.heard(PARTITION);
        };
        relay.heard(PARTITION);
        runAll();
        assertThat(published).containsExactly("7");
    }

    @Test
    void withoutABrokerEventsStayAndAreTriedAgainEverLess() {
        record(0, 1, 2);
        brokerAway = true;
        relay.heard(PARTITION);
        runAll();
        for (int i = 0; i < 9; i++) {
            relay.heard(PARTITION);
            later.remove().run();
            runAll();
        }
        assertThat(stored).containsExactly(0L, 1L, 2L);
        assertThat(pauses)
                .startsWith(EventRelay.FIRST_PAUSE, Duration.ofSeconds(1))
                .endsWith(EventRelay.LONGEST_PAUSE);
        assertThat(later).hasSize(1);

        brokerAway = false;
        later.remove().run();
        runAll();
        assertThat(published).containsExactly("0", "1", "2");
        assertThat(stored).isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerIsAskedAgain() {
        record(0);
        storeAway = true;
        relay.heard(PARTITION);
        runAll();
        assertThat(published).isEmpty();
        storeAway = false;
        later.remove().run();
        runAll();
        assertThat(published).containsExactly("0");
    }

    @Test
    void anEventWhoseRemovalWasNotAnsweredIsPublishedAgain() {
        record(0);
        onTake = () -> {
            onTake = () -> {};
            storeAway = true;
        };
        relay.heard(PARTITION);
        runAll();
        assertThat(published).containsExactly("0");
        storeAway = false;
        later.remove().run();
        runAll();
        assertThat(published).containsExactly("0", "0");
        assertThat(stored).isEmpty();
    }

    @Test
    void anErrorDoesNotStopThePartition() {
        record(0, 1);
        error = new NoClassDefFoundError("a/b/C");
        relay.heard(PARTITION);
        runAll();
        assertThat(published).isEmpty();
        assertThat(pauses).containsExactly(EventRelay.FIRST_PAUSE);

        error = null;
        ownerUnknown = true;
        later.remove().run();
        runAll();
        assertThat(pauses).containsExactly(EventRelay.FIRST_PAUSE, Duration.ofSeconds(1));
        assertThat(relay.isIdle()).isFalse();

        ownerUnknown = false;
        later.remove().run();
        runAll();
        assertThat(published).containsExactly("0", "1");
        assertThat(stored).isEmpty();
        assertThat(relay.isIdle()).isTrue();
    }

    @Test
    void eventsThatCannotBeCountedArePublishedOnce() {
        record(0, 1, 2);
        counts.broken = true;
        relay.heard(PARTITION);
        runAll();
        assertThat(published).containsExactly("0", "1", "2");
        assertThat(later).isEmpty();
        assertThat(relay.isIdle()).isTrue();
    }

    @Test
    void onlyTheOwnerPublishes() {
        record(0);
        owner = false;
        relay.heard(PARTITION);
        runAll();
        assertThat(published).isEmpty();

        owner = true;
        onTake = () -> owner = false;
        relay.heard(PARTITION);
        runAll();
        assertThat(published).isEmpty();
        assertThat(stored).containsExactly(0L);

        onTake = () -> {};
        owner = true;
        relay.heard(PARTITION);
        runAll();
        assertThat(published).containsExactly("0");
    }

    @Test
    void aProcessThatStopsPublishesItsLastEventsThoughItIsNotTheOwnerAnyMore() {
        relay.stopping();
        owner = false;
        record(0);
        relay.heard(PARTITION);
        assertThat(relay.isIdle()).isFalse();
        runAll();
        assertThat(published).containsExactly("0");
        assertThat(relay.isIdle()).isTrue();

        record(1);
        brokerAway = true;
        relay.heard(PARTITION);
        runAll();
        assertThat(later).as("further attempts").isEmpty();
        assertThat(relay.isIdle()).isTrue();
    }

    @Test
    void droppedEventsAreCounted() {
        record(5);
        dropped = 5;
        relay.heard(PARTITION);
        runAll();
        assertThat(counts.dropped).isEqualTo(5);
    }
}
