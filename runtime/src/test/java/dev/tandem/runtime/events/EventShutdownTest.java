package dev.tandem.runtime.events;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.event.EventMessage;
import dev.tandem.task.event.EventPublisher;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A stop takes as long with many queues whose brokers are away as with one. */
class EventShutdownTest {

    private static final int QUEUES = 40;
    private static final Duration LIMIT = Duration.ofSeconds(2);
    /** A quarter of what the queues would take one after another. */
    private static final Duration FAR_LESS_THAN_ALL_LIMITS = LIMIT.multipliedBy(QUEUES / 4);

    @Test
    void threadsThatHangAreInterruptedAfterOneLimitForAll() throws Exception {
        CountDownLatch begun = new CountDownLatch(QUEUES);
        CountDownLatch interrupted = new CountDownLatch(QUEUES);
        List<ExecutorService> threads = IntStream.range(0, QUEUES)
                .mapToObj(i -> Executors.newSingleThreadExecutor())
                .toList();
        threads.forEach(thread -> thread.execute(() -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.countDown();
            }
        }));
        begun.await();
        long start = System.nanoTime();
        EventShutdown.end(threads, LIMIT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(FAR_LESS_THAN_ALL_LIMITS);
        assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void publishersThatHangAreLeftAfterOneLimitForAll() throws Exception {
        CountDownLatch asked = new CountDownLatch(QUEUES);
        CountDownLatch never = new CountDownLatch(1);
        List<EventPublisher> publishers = IntStream.range(0, QUEUES)
                .mapToObj(i -> (EventPublisher) new Hanging(asked, never))
                .toList();
        long start = System.nanoTime();
        EventShutdown.close(publishers, LIMIT);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(FAR_LESS_THAN_ALL_LIMITS);
        assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
        never.countDown();
    }

    private record Hanging(CountDownLatch asked, CountDownLatch never) implements EventPublisher {

        @Override
        public void publish(List<EventMessage> events) {}

        @Override
        public void close() {
            asked.countDown();
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
